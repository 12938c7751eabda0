import { Agent, request } from 'node:http'
import { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type House, openHouse, type Row, secretRun, secretWord, servers } from './served-routes.ts'
import { listSessions } from '../../src/core/driving/find-sessions.ts'

/** An address of this machine that is not of loopback; undefined where it has none. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

const hostsFor = (port: number) => [
  `127.0.0.1:${port}`,
  `localhost:${port}`,
  `LOCALHOST:${port}`,
  'localhost',
  '127.0.0.1',
  `[::1]:${port}`,
  `127.1:${port}`,
  `localhost.:${port}`,
  `0.0.0.0:${port}`,
  `rebound.example:${port}`,
  'shop.example',
  `2130706433:${port}`,
]

const originsFor = (port: number) => [
  undefined,
  `http://127.0.0.1:${port}`,
  `http://localhost:${port}`,
  `https://127.0.0.1:${port}`,
  'http://localhost',
  'https://shop.example',
  `http://rebound.example:${port}`,
  'null',
  '*',
  'file://',
]

/** Everything about the run that a write would change. */
async function stateOf({ store, agent }: House): Promise<string> {
  const state = [
    await store.read(secretRun),
    await store.inbox(secretRun, { isOpen: true }),
    await store.list({}),
    await agent.audit(),
  ]
  return JSON.stringify([state, await listSessions(store, {})])
}

test.for(servers)(
  'SRV-01 OBS-03 $name shows and changes nothing without credentials, for any host and origin of a remote peer',
  async ({ routes, rows, open }) => {
    expect(Object.keys(rows).toSorted()).toEqual([...routes].toSorted())
    // If the machine has only loopback addresses, its sockets pretend to have another one.
    if (outside === undefined) {
      const spy = vi.spyOn(Socket.prototype, 'remoteAddress', 'get').mockReturnValue('203.0.113.9')
      onTestFinished(() => spy.mockRestore())
    }
    const house = await openHouse()
    const peers = new Set<string | undefined>()
    const port = await open(house, (peer) => peers.add(peer))
    const before = await stateOf(house)
    const agent = new Agent({
      keepAlive: true,
      maxSockets: 8,
      ...(outside === undefined ? {} : { localAddress: outside }),
    })
    onTestFinished(() => agent.destroy())
    const headersOf = (host: string, origin: string | undefined) => ({
      host,
      'content-type': 'application/json',
      'x-forwarded-host': host,
      'x-forwarded-for': '127.0.0.1',
      ...(origin === undefined ? {} : { origin, 'sec-fetch-site': 'same-origin' }),
    })
    const ask = (name: string, { path, body }: Row, host: string, origin: string | undefined) =>
      new Promise<readonly [number, string]>((resolve, reject) => {
        const method = name.split(' ')[0] ?? 'GET'
        const sent = request(
          { agent, port, host: '127.0.0.1', path, method, headers: headersOf(host, origin) },
          (response) => {
            let text = ''
            response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
            response.on('end', () => resolve([response.statusCode ?? 0, text]))
          },
        )
        sent.on('error', reject)
        sent.end(body === undefined ? undefined : JSON.stringify(body))
      })
    const wrong: unknown[] = []
    for (const [name, row] of Object.entries(rows)) {
      const asked = hostsFor(port).flatMap((host) =>
        originsFor(port).map(async (origin) => {
          const [status, text] = await ask(name, row, host, origin)
          const tells = text.includes(secretRun) || text.includes(secretWord)
          const isLet = status < 400 && row.isOpen !== true
          if (tells || isLet) wrong.push([name, host, origin, status])
        }),
      )
      await Promise.all(asked)
    }
    expect(wrong).toEqual([])
    expect(await stateOf(house)).toBe(before)
    expect([...peers].filter((peer) => peer === undefined || /^(?:::ffff:)?127\.|^::1$/.test(peer))).toEqual([])
  },
)
