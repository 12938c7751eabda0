import { checkedResponse, RequestError } from '../../core/domain/request-error.ts'

const tokenName = 'statewright-token'

const listeners = new Set<() => void>()
let isRefused = false

/** Returns true if the studio has refused the last token. */
export function wasRefused(): boolean {
  return isRefused
}

/** Calls a listener whenever the token was kept or forgotten, until the function that it gives is called. */
export function onToken(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Takes the token out of the address, if the person who opened the page brought it, and out of the history. */
export function takeToken(): void {
  const token = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1]
  if (token === undefined) return
  sessionStorage.setItem(tokenName, token)
  history.replaceState(null, '', location.pathname)
}

/** The token for all requests; undefined if nobody gave one, or the one that was given is refused. */
export function knownToken(): string | undefined {
  return sessionStorage.getItem(tokenName) ?? undefined
}

/** Keeps a token that a person has entered; an empty one is forgotten. */
export function keepToken(token: string): void {
  if (token.trim() === '') sessionStorage.removeItem(tokenName)
  else sessionStorage.setItem(tokenName, token.trim())
  for (const listener of listeners) listener()
}

/** Reads JSON; rejects with a `RequestError`. */
export async function get<Value>(path: string, signal?: AbortSignal): Promise<Value> {
  return (await ask(path, signal === undefined ? {} : { signal })).json() as Promise<Value>
}

/** Writes; rejects with a `RequestError`. */
export async function post<Value>(path: string, body: unknown): Promise<Value> {
  const headers = { 'content-type': 'application/json' }
  return (await ask(path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<Value>
}

/** Sends a request with the token. A token that is refused is forgotten. */
export async function send(url: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
  const token = knownToken()
  const headers = new Headers(init.headers)
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  const response = await fetch(url, { ...init, headers })
  isRefused = response.status === 401
  if (isRefused && knownToken() === token) keepToken('')
  return response
}

function ask(path: string, init: RequestInit): Promise<Response> {
  return checkedResponse(send(`/api/${path}`, init))
}

/** Returns the text of an error for a person. */
export function problemOf(error: unknown): string {
  if (error instanceof RequestError && error.status > 0) return error.message
  return 'The studio cannot be reached. Start it again with "statewright studio". This page then continues by itself.'
}
