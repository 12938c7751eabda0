import type { Secret } from '../domain/redactor.ts'

const secretName = /(?:^|_)(?:API_?KEY|ACCESS_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_|$)/i

/** Characters below which a value is too common to be masked. */
const shortest = 8

/** The variables of an environment whose names look like keys. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): readonly Secret[] {
  return Object.entries(environment).flatMap(([name, value = '']) =>
    secretName.test(name) && value.length >= shortest ? { name, value } : [],
  )
}
