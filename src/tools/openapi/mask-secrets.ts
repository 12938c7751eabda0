import { type Redactor, redactorOf } from '../../domain/redactor.ts'
import type { OpenApiOptions } from './options.ts'

const secretName = /auth|key|token|secret|passw|cookie|session|credential|signature/i

/** Characters below which a value is too common to be masked. */
const shortest = 4

/** Shows `****` for the credentials of a toolset in whatever comes back from a server, also where they were encoded. */
export function secretMask({ auth = 'none', headers = {}, source }: OpenApiOptions): Redactor {
  const values = [
    ...(auth === 'none' ? [] : ['bearer' in auth ? auth.bearer : auth.key]),
    ...Object.entries(headers).flatMap(([name, value]) => (secretName.test(name) ? wordsOf(value) : [])),
    ...('url' in source ? [...new URL(source.url).searchParams.values()] : []),
  ]
  const forms = new Set(values.filter(({ length }) => length >= shortest).flatMap(formsOf))
  const secrets = [...forms].map((value) => ({ name: '', value }))
  return redactorOf(secrets, () => '****')
}

function wordsOf(value: string): readonly string[] {
  const [, scheme, rest] = /^(Basic|Bearer|Token)\s+(.+)$/i.exec(value) ?? []
  return scheme === undefined || rest === undefined ? [value] : [value, rest]
}

function formsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString('base64')
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), base64, base64.replace(/=+$/, '')]
}
