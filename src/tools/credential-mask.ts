import { inspect } from 'node:util'
import { type Redactor, redactorOf, type Secret } from '../domain/redactor.ts'

/** A redactor of credentials as a server may repeat them: plain, percent-encoded, within JSON, or as base64. */
export function credentialMask(secrets: readonly Secret[], shown?: (name: string) => string): Redactor {
  const forms = new Map(secrets.flatMap(({ name, value }) => formsOf(value).map((form) => [form, name] as const)))
  return redactorOf(
    [...forms].map(([value, name]) => ({ name, value })),
    shown,
  )
}

/** A header's value, and what of it is the secret where it begins with the name of a scheme. */
export function headerSecrets(value: string): readonly string[] {
  const [, scheme, rest] = /^(Basic|Bearer|Token) +(\S.*)$/i.exec(value) ?? []
  return scheme === undefined || rest === undefined ? [value] : [value, rest]
}

/** The options of an error with this cause; without it where anything that is printed of it holds a secret. */
export function causeWithout(cause: unknown, secrets: Redactor): ErrorOptions {
  const printed = inspect(cause, { depth: 9 })
  return secrets.text(printed) === printed ? { cause } : {}
}

function formsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString('base64')
  const inside = JSON.stringify(value).slice(1, -1)
  return [value, encodeURIComponent(value.toWellFormed()), inside, base64, base64.replace(/={1,2}$/, '')]
}
