/** What the server said no with. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const tokenName = 'statewright-token'

/** Takes the token out of the address, where the person who opened the page brought it. */
export function takeToken(): void {
  const token = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1]
  if (token === undefined) return
  sessionStorage.setItem(tokenName, token)
  history.replaceState(null, '', location.pathname)
}

/** The token for writes; undefined where nobody gave one. */
export function knownToken(): string | undefined {
  return sessionStorage.getItem(tokenName) ?? undefined
}

/** Keeps a token that a person has entered; an empty one is forgotten. */
export function keepToken(token: string): void {
  if (token === '') sessionStorage.removeItem(tokenName)
  else sessionStorage.setItem(tokenName, token.trim())
}

/** Reads JSON; rejects with a `Refusal`. */
export async function get<Value>(path: string, signal?: AbortSignal): Promise<Value> {
  return (await checked(await fetch(`/api/${path}`, signal === undefined ? {} : { signal }))).json() as Promise<Value>
}

/** Writes, with the token; rejects with a `Refusal`. */
export async function post<Value>(path: string, body: unknown): Promise<Value> {
  const token = knownToken()
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const response = await fetch(`/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await checked(response)).json() as Promise<Value>
}

/** The answer itself; rejects with a `Refusal` for one that says no. */
export async function checked(response: Response): Promise<Response> {
  if (response.ok) return response
  const told = (await response.json().catch(() => ({}))) as { readonly code?: string; readonly message?: string }
  throw new Refusal(response.status, told.code ?? 'unknown', told.message ?? `The studio answered ${response.status}.`)
}

/** What to tell a person of something that was thrown. */
export function problemOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  return 'The studio cannot be reached. Start it again with "statewright studio", then this page goes on by itself.'
}
