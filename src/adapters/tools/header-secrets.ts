import { inspect } from 'node:util'
import type { Redactor } from '../../core/domain/text/redactor.ts'

/** Returns the secrets in a header's value: the value, and the part after the name of a scheme. */
export function headerSecrets(value: string): readonly string[] {
  const [, scheme, rest] = /^(Basic|Bearer|Token) +(\S.*)$/i.exec(value) ?? []
  return scheme === undefined || rest === undefined ? [value] : [value, rest]
}

/** Returns the options of an error with this cause, or without it if its printed form contains a secret. */
export function causeWithout(cause: unknown, secrets: Redactor): ErrorOptions {
  const printed = inspect(cause, { depth: 9 })
  return secrets.text(printed) === printed ? { cause } : {}
}
