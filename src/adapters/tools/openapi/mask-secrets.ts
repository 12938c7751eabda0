import { type Redactor, redactorOf } from '../../../core/domain/text/redactor.ts'
import { headerSecrets } from '../header-secrets.ts'
import type { OpenApiOptions } from './options.ts'

const secretName = /auth|key|token|secret|passw|cookie|session|credential|signature/i

/** Characters below which a value is too common to be masked. */
const shortest = 4

/** Shows `****` for the credentials of a toolset in whatever comes back from a server, also if they were encoded. */
export function secretMask({ auth = 'none', headers = {}, source }: OpenApiOptions): Redactor {
  const values = [
    ...(auth === 'none' ? [] : 'bearer' in auth ? [auth.bearer] : headerSecrets(auth.key)),
    ...Object.entries(headers).flatMap(([name, value]) => (secretName.test(name) ? headerSecrets(value) : [])),
    ...('url' in source ? [...new URL(source.url).searchParams.values()] : []),
  ]
  const secrets = values.filter(({ length }) => length >= shortest).map((value) => ({ name: '', value }))
  return redactorOf(secrets, () => '****')
}
