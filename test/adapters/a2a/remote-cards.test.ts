import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { remoteAgent } from '../../../src/adapters/tools/a2a.ts'
import { createAgent } from '../../../src/index.ts'
import { cardAt } from './card-at.ts'

/** A server that answers as it likes. */
async function oddServer(
  answer: (url: string) => { status?: number; headers?: Record<string, string>; body?: unknown },
) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const { status = 200, headers: given = {}, body } = answer(origin)
    response.writeHead(status, { 'content-type': 'application/json', ...given }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, asked }
}

test.for([
  ['another port, by plain HTTP', () => ({ body: cardAt('http://127.0.0.1:1/') }), /no interface that can be used/],
  ['another host', () => ({ body: cardAt('https://mail.example/') }), /no interface that can be used/],
  [
    'an older protocol',
    (url: string) => ({
      body: cardAt(url, { supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' }] }),
    }),
    /no interface/,
  ],
  ['no interface', (url: string) => ({ body: cardAt(url, { supportedInterfaces: [] }) }), /no interface/],
  ['a redirect', () => ({ status: 302, headers: { location: 'http://10.0.0.1/' } }), /redirects/],
  ['an error', () => ({ status: 500, body: {} }), /cannot be read/],
  ['no JSON', () => ({ headers: { 'content-type': 'text/html' } }), /cannot be read/],
  ['too much', () => ({ body: 'x'.repeat(11_000_000) }), /cannot be read/],
  ['null', () => ({ body: null }), /no interface/],
  ['a list', () => ({ body: [] }), /no interface/],
] as const)('SRV-02 a card with %s makes the tool unavailable, with its reason', async ([, answer, reason]) => {
  const { origin, asked } = await oddServer(answer)
  const boss = createAgent({ name: 'boss', model: scripted([]), tools: [remoteAgent(origin)] })
  onTestFinished(() => boss.close())
  await expect(boss.run('Go.')).rejects.toThrow(reason)
  expect(new Set(asked)).toEqual(new Set(['GET /.well-known/agent-card.json']))
})

test.for([
  'http://mail.example',
  'ftp://127.0.0.1',
  'file:///etc/passwd',
  'mail',
  '',
  'http://10.0.0.1',
  'http://127.0.0.1.example',
])('SRV-02 the address %o is refused before anything is sent', (url) => {
  expect(() => remoteAgent(url)).toThrow(expect.objectContaining({ code: 'bad_option' }))
})
