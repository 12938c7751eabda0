import { addressPasswordsIn } from '../../core/domain/text/address-password.ts'
import { type Redactor, redactorOf, type Secret } from '../../core/domain/text/redactor.ts'
import { namesSecret } from '../../core/domain/text/secret-name.ts'

/** A password in the parameters of a connection: `host=db password=…`, `Server=…;Pwd=…`, `?sslpassword=…`. */
const parameter = /(?:^|[?&;\s])(?:\w{0,20}password|pwd|accountkey|sharedaccesskey|sig|access_token)=([^&;\s]+)/gi

/** The minimum length of a value that is masked. A shorter value would occur in too many texts. */
const shortest = 8

/** Returns the secrets of an environment: values of variables with telling names, and passwords in addresses. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): readonly Secret[] {
  return Object.entries(environment).flatMap(([name, value = '']) =>
    [...new Set(secretTexts(name, value))].map((text) => ({ name, value: text })),
  )
}

/** Redacts an environment's secrets, and all passwords in addresses. */
export function outputRedactor(environment: Readonly<Record<string, string | undefined>>): Redactor {
  return redactorOf(secretsIn(environment), undefined, { addresses: true })
}

function secretTexts(name: string, value: string): readonly string[] {
  const inside = [...addressPasswordsIn(value), ...[...value.matchAll(parameter)].map(([, found = '']) => found)]
  const isSecret = inside.length > 0 || namesSecret(name)
  // Each line of a key is a secret; lines of other texts may be plain words.
  const lines = isSecret
    ? value
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => /^\S{20,}$/.test(line))
    : []
  const all = [...(isSecret ? [value] : []), ...inside, ...inside.map(decoded), ...lines]
  return all.filter(({ length }) => length >= shortest)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
