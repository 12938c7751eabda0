import { request } from 'node:http'
import { expect, test } from 'vitest'
import { inspectorRelay } from '../../../src/adapters/inspect/index.ts'

/** A request with headers that `fetch` would not send. */
async function ask(url: string, options: { method?: string; headers?: Record<string, string>; body?: string }) {
  return await new Promise<number>((resolve, reject) => {
    const { body, ...rest } = options
    const sent = request(url, rest, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const actor = (sessionId: string, more: object = {}) =>
  JSON.stringify({
    type: '@xstate.actor',
    name: 'x',
    sessionId,
    rootId: sessionId,
    snapshot: { status: 'active' },
    ...more,
  })

/** The header that the address of a relay asks for. */
function tokenOf(url: string): { readonly authorization: string } {
  return { authorization: `Bearer ${new URL(url).hash.replace('#token=', '')}` }
}

test('OBS-02 the relay accepts requests only with its token, from its own page and under its own host name', async () => {
  await using relay = await inspectorRelay()
  const { host, port, origin } = new URL(relay.url)
  const token = tokenOf(relay.url)
  const post = (headers: Record<string, string>) => ask(origin, { method: 'POST', headers, body: actor('a') })
  expect(await post({ host })).toBe(401)
  expect(await post({ host, authorization: `${token.authorization}x` })).toBe(401)
  expect(await post({ host, origin })).toBe(401)
  expect(await ask(`${origin}/messages`, { headers: { host, origin } })).toBe(401)
  expect(await ask(`${origin}/chart?name=x`, { headers: { host } })).toBe(401)
  expect(await post({ host, ...token })).toBe(204)
  expect(await post({ host: `localhost:${port}`, origin: `http://127.0.0.1:${port}`, ...token })).toBe(204)
  expect(await post({ host, origin: 'https://example.org', ...token })).toBe(403)
  expect(await post({ host, origin: 'null', ...token })).toBe(403)
  expect(await ask(origin, { headers: { host: `rebound.example:${port}` } })).toBe(403)
  expect(await ask(`${origin}/messages`, { headers: { host, origin: 'http://localhost:1', ...token } })).toBe(403)
  expect(await ask(origin, { method: 'PUT', headers: { host, ...token } })).toBe(405)
  const policy = (await fetch(origin)).headers.get('content-security-policy')
  expect(policy).toMatch(/^default-src 'none'; script-src 'nonce-[^']+';/)
  await expect(inspectorRelay({ port: Number(port) })).rejects.toThrow('EADDRINUSE')
  await expect(inspectorRelay({ port: -1 })).rejects.toThrow('a port, 0 to 65535')
})
