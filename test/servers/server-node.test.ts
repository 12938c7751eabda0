import { createServer, request as httpRequest, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { heldReply, runId, testAgent } from '../../proof/support/test-agent.ts'
import type { Agent } from '../../src/index.ts'
import { nodeListener } from '../../src/servers/http/server-node.ts'
import { createHandlers, type HandlersOptions } from '../../src/servers/http/server.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function listening(
  agent: Agent,
  options: HandlersOptions = { authorize: () => true },
): Promise<{ port: number; url: string }> {
  const server = createServer(nodeListener(createHandlers(agent, options)))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}` }
}

test('SRV-01 a Node server starts a run and streams it to its end', async () => {
  const { agent } = testAgent({ replies: ['Hello.'] })
  const { url } = await listening(agent)
  const started = await fetch(`${url}/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'Go', runId }),
  })
  expect(started.status).toBe(201)
  expect(await (await fetch(`${url}/runs/${runId}/events`)).text()).toContain('"type":"run.ended"')
})

test('SRV-01 a client that leaves ends its stream and not the run', async () => {
  const held = heldReply()
  const { agent } = testAgent({ replies: [held.reply] })
  const { url } = await listening(agent)
  agent.start('Go', { runId })
  await held.asked
  const left = new AbortController()
  const stream = await fetch(`${url}/runs/${runId}/events`, { signal: left.signal })
  await stream.body?.getReader().read()
  left.abort()
  held.give('Said.')
  const { text } = await (await agent.load(runId)).settled()
  expect(text).toBe('Said.')
})

/** The headers that a browser sends from a page at https://shop.example through a proxy that terminates TLS. */
const throughProxy = { host: 'shop.example', origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' }

test('SRV-01 a page may write behind a proxy that terminates TLS, and on a runtime whose sockets have encrypted: false', async () => {
  const { agent } = testAgent({ replies: ['Hello.', 'Hello.', 'Hello.'] })
  const { port } = await listening(agent)
  for (const server of servers) {
    server.on('connection', (socket) => Object.assign(socket, { encrypted: false }))
  }
  const post = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = { 'content-type': 'application/json', ...headers }
      const request = httpRequest(
        { port, host: '127.0.0.1', method: 'POST', path: '/runs', headers: sent },
        (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        },
      )
      request.on('error', reject).end('{"prompt":"Go"}')
    })
  const { 'sec-fetch-site': _, ...withoutSite } = throughProxy
  const direct = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }
  expect([await post(throughProxy), await post(withoutSite), await post(direct)]).toEqual([201, 201, 201])
})

test('SRV-01 refuses a request with an invalid Host, and keeps serving', async () => {
  const { agent } = testAgent({ replies: ['Hello.'] })
  const { port, url } = await listening(agent)
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end('GET /runs/x HTTP/1.1\r\nHost: a b:c\r\n\r\n'))
    let read = ''
    socket.on('data', (part) => (read += part.toString()))
    socket.on('end', () => resolve(read)).on('error', reject)
  })
  expect(text).toMatch(/^HTTP\/1\.1 400/)
  expect((await fetch(`${url}/runs/x`)).status).toBe(404)
})

test('SRV-01 a client that reads one byte at a time gets everything, and delays no run', async () => {
  const { agent } = testAgent({ replies: ['x'.repeat(2_000)] })
  const { port } = await listening(agent)
  agent.start('Go', { runId })
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET /runs/${runId}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`),
    )
    let read = ''
    socket.on('readable', () => {
      for (let byte = socket.read(1) as Buffer | null; byte !== null; byte = socket.read(1) as Buffer | null) {
        read += byte.toString('latin1')
      }
    })
    socket.on('end', () => resolve(read)).on('error', reject)
  })
  expect(text).toContain('"type":"run.ended"')
})
