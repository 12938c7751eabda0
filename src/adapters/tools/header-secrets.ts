import { inspect } from 'node:util'
import type { Redactor } from '../../core/domain/text/redactor.ts'

/** A header's value, and what of it is the secret if it begins with the name of a scheme. */
export function headerSecrets(value: string): readonly string[] {
  const [, scheme, rest] = /^(Basic|Bearer|Token) +(\S.*)$/i.exec(value) ?? []
  return scheme === undefined || rest === undefined ? [value] : [value, rest]
}

/** The options of an error with this cause; without it if anything that is printed of it holds a secret. */
export function causeWithout(cause: unknown, secrets: Redactor): ErrorOptions {
  const printed = inspect(cause, { depth: 9 })
  return secrets.text(printed) === printed ? { cause } : {}
}
