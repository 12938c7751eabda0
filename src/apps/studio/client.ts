import { checkedResponse, RequestError } from '../../core/domain/request-error.ts'

const tokenName = 'statewright-token'

const listeners = new Set<() => void>()
let isRefused = false

/** Returns true if the studio has rejected the last token. */
export function wasRefused(): boolean {
  return isRefused
}

/** Calls a listener whenever the token is stored or removed. Returns the function that stops this. */
export function onToken(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Removes the token from the address and the browser's history, if the person opened the page with one, and stores it.
 */
export function takeToken(): void {
  const token = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1]
  if (token === undefined) return
  sessionStorage.setItem(tokenName, token)
  history.replaceState(null, '', location.pathname)
}

/** Returns the token for all requests, or undefined if nobody gave one or it was rejected. */
export function knownToken(): string | undefined {
  return sessionStorage.getItem(tokenName) ?? undefined
}

/** Stores a token that a person has entered; an empty one is removed. */
export function keepToken(token: string): void {
  if (token.trim() === '') sessionStorage.removeItem(tokenName)
  else sessionStorage.setItem(tokenName, token.trim())
  for (const listener of listeners) listener()
}

/** Reads JSON; rejects with a `RequestError`. */
export async function get<Value>(path: string, signal?: AbortSignal): Promise<Value> {
  return (await ask(path, signal === undefined ? {} : { signal })).json() as Promise<Value>
}

/** Sends JSON; rejects with a `RequestError`. */
export async function post<Value>(path: string, body: unknown): Promise<Value> {
  const headers = { 'content-type': 'application/json' }
  return (await ask(path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<Value>
}

/** Sends a request with the token. A rejected token is removed. */
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
