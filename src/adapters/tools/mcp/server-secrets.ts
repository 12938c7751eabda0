import { type Redactor, redactorOf } from '../../../core/domain/text/redactor.ts'
import { headerSecrets } from '../header-secrets.ts'
import { type McpOptions, secretsOf } from './mcp-options.ts'

/** Secrets that were sent and are still remembered; a token may be another one at each request. */
const mostNoted = 200

/** Characters below which a value is too common to be masked. */
const shortest = 4

const signInSecrets = ['client_secret', 'refresh_token', 'code', 'code_verifier', 'client_assertion', 'assertion']

/** Masks the secrets in the options, and all secrets that were sent later. */
export class ServerSecrets implements Redactor {
  readonly #options: McpOptions
  readonly #noted = new Set<string>()
  #mask: Redactor | undefined

  constructor(options: McpOptions) {
    this.#options = options
  }

  /** Notes the credentials of a request that is about to be sent: a token from elsewhere among them. */
  noteRequest(headers: Headers, body: unknown): void {
    for (const name of ['authorization', 'proxy-authorization', 'cookie']) {
      for (const value of headerSecrets(headers.get(name) ?? '')) this.#note(value)
    }
    const form = body instanceof URLSearchParams ? body : undefined
    for (const name of signInSecrets) for (const value of form?.getAll(name) ?? []) this.#note(value)
  }

  text(text: string): string {
    return this.#current().text(text)
  }

  json(value: Parameters<Redactor['json']>[0]): ReturnType<Redactor['json']> {
    return this.#current().json(value)
  }

  stream(): ReturnType<Redactor['stream']> {
    return this.#current().stream()
  }

  #note(value: string): void {
    if (value.length < shortest || this.#noted.has(value)) return
    const [oldest] = this.#noted
    if (this.#noted.size >= mostNoted && oldest !== undefined) this.#noted.delete(oldest)
    this.#noted.add(value)
    this.#mask = undefined
  }

  #current(): Redactor {
    return (this.#mask ??= redactorOf([
      ...secretsOf(this.#options),
      ...[...this.#noted].map((value) => ({ name: 'token', value })),
    ]))
  }
}
