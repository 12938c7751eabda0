import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { loopbackServer } from '../../../proof/support/loopback-server.ts'
import { GuardedClient, type GuardOptions } from '../../../src/adapters/tools/guarded-fetch.ts'

const maxBytes = 1_000_000

async function ask(target: string, options: GuardOptions = {}, request: object = {}) {
  const client = new GuardedClient(options)
  try {
    const { status, url, bytes, isCut } = await client.request(new URL(target), { method: 'GET', maxBytes, ...request })
    return { status, url: url.href, text: Buffer.from(bytes).toString('utf8'), isCut }
  } catch (error) {
    return (error as { code?: unknown }).code ?? error
  } finally {
    await client.close()
  }
}

describe('TOOL-05 the guarded client', () => {
  const hosts = [
    ...['127.0.0.1', '127.8.9.1', '0.0.0.0', '10.0.0.1', '172.16.5.4', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
    ...['192.0.2.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '2130706433', '0x7f.1', '0177.0.0.1'],
    ...['[::]', '[::1]', '[::7f00:1]', '[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]', '[::ffff:0:127.0.0.1]'],
    ...['[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2002:a00:1::]', '[2001:0:7f00:1::]'],
    ...['[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd12:3456::1]', '[ff02::1]', '[2001:db8::1]', '[100::1]'],
  ]
  test.each(hosts)('TOOL-05 refuses the address %s', async (host) => {
    expect(await ask(`http://${host}/`)).toBe('private_address')
  })

  test.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:127.0.0.1', '2002:7f00:1::', 'fd00::1'])(
    'TOOL-05 refuses a name that resolves to %s, even as one of several addresses',
    async (address) => {
      const family = address.includes(':') ? 6 : 4
      const one = { address, family }
      expect(await ask('http://name.example/', { resolve: async () => [one] })).toBe('private_address')
      const both = [{ address: '93.184.215.14', family: 4 }, one]
      expect(await ask('http://name.example/', { resolve: async () => both })).toBe('private_address')
    },
  )

  test('TOOL-05 refuses localhost by its address', async () => {
    expect(await ask('http://localhost:8080/')).toBe('private_address')
  })

  test('TOOL-05 connects to the address that was checked, and resolves it once', async () => {
    await using server = await loopbackServer()
    const asked: string[] = []
    const resolve = async (name: string) => {
      asked.push(name)
      return [{ address: asked.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
    }
    const target = server.origin.replace('127.0.0.1', 'name.example')
    const answer = await ask(`${target}/a`, { resolve, privateOrigins: [target] })
    expect(answer).toMatchObject({ status: 200, text: '{}' })
    expect(asked).toEqual(['name.example'])
  })

  test('TOOL-05 reaches a private address whose origin was allowed, and no other port of it', async () => {
    await using server = await loopbackServer()
    await using other = await loopbackServer()
    const options = { privateOrigins: [server.origin] }
    expect(await ask(server.origin, options)).toMatchObject({ status: 200 })
    expect(await ask(other.origin, options)).toBe('private_address')
    expect(other.seen).toEqual([])
  })

  test.each([301, 302, 303, 307, 308])('TOOL-05 refuses a redirect %i to a private address', async (status) => {
    await using inner = await loopbackServer()
    await using server = await loopbackServer((response) =>
      response.writeHead(status, { location: inner.origin }).end(),
    )
    expect(await ask(server.origin, { privateOrigins: [server.origin] })).toBe('private_address')
    expect(inner.seen).toEqual([])
  })

  const redirects: readonly [number, string, string, string][] = [
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [307, 'POST', 'POST', 'x'],
    [308, 'PUT', 'PUT', 'x'],
    [301, 'PUT', 'PUT', 'x'],
  ]
  test.each(redirects)('TOOL-05 follows a redirect %i of %s as %s', async (status, method, next, body) => {
    await using server = await loopbackServer((response, { url }) =>
      url === '/a' ? response.writeHead(status, { location: '/b' }).end() : response.end('there'),
    )
    const headers = { authorization: 'Bearer abc', 'content-type': 'text/plain' }
    const given = method === 'HEAD' ? {} : { body: 'x' }
    await ask(`${server.origin}/a`, { privateOrigins: [server.origin] }, { method, headers, ...given })
    const [, second] = server.seen
    expect(second).toMatchObject({ method: next, url: '/b', body })
    expect(second?.headers['authorization']).toBe('Bearer abc')
  })

  test('TOOL-05 sends no credentials to another origin', async () => {
    await using other = await loopbackServer()
    const location = `${other.origin.replace('//', '//user:word@')}/b`
    await using server = await loopbackServer((response) => response.writeHead(307, { location }).end())
    const headers = { Authorization: 'Bearer abc', 'X-Api-Key': 'def', cookie: 'g=h', accept: 'text/plain' }
    await ask(server.origin, { privateOrigins: [server.origin, other.origin] }, { headers })
    expect(server.seen[0]?.headers).toMatchObject({ authorization: 'Bearer abc', 'x-api-key': 'def', cookie: 'g=h' })
    const { authorization, 'x-api-key': key, cookie, accept } = other.seen[0]?.headers ?? {}
    expect({ authorization, key, cookie, accept }).toEqual({ accept: 'text/plain' })
  })

  const sentOn: readonly [number, string, unknown, number][] = [
    [307, 'POST', 'bad_redirect', 0],
    [308, 'PUT', 'bad_redirect', 0],
    [301, 'PATCH', 'bad_redirect', 0],
    [302, 'DELETE', 'bad_redirect', 0],
    [303, 'POST', { status: 200 }, 1],
    [301, 'POST', { status: 200 }, 1],
    [307, 'GET', { status: 200 }, 1],
  ]
  test.each(sentOn)(
    'TOOL-05 a redirect %i of %s sends no body to another origin',
    async (status, method, expected, asked) => {
      await using other = await loopbackServer()
      await using server = await loopbackServer((response) =>
        response.writeHead(status, { location: other.origin }).end(),
      )
      const body = method === 'GET' ? {} : { body: 'a secret' }
      const answer = await ask(server.origin, { privateOrigins: [server.origin, other.origin] }, { method, ...body })
      expect([answer]).toMatchObject([expected])
      expect(other.seen.map((seen) => seen.body)).toEqual(Array.from({ length: asked }, () => ''))
    },
  )

  test.each(['file:///etc/passwd', 'ftp://example.com/', 'data:,x', 'http://', 'javascript:1'])(
    'TOOL-05 refuses a redirect to %s',
    async (location) => {
      await using server = await loopbackServer((response) => response.writeHead(302, { location }).end())
      expect(await ask(server.origin, { privateOrigins: [server.origin] })).toBe('bad_redirect')
    },
  )

  test('TOOL-05 abandons a server that redirects forever', async () => {
    await using server = await loopbackServer((response) => response.writeHead(302, { location: '/again' }).end())
    expect(await ask(server.origin, { privateOrigins: [server.origin] })).toBe('too_many_redirects')
    expect(server.seen).toHaveLength(6)
  })

  test('TOOL-05 counts bytes after decoding and reads only the beginning of a decompression bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000))
    expect(bomb.length).toBeLessThan(300_000)
    await using server = await loopbackServer((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    const before = process.memoryUsage().arrayBuffers
    const answer = await ask(server.origin, { privateOrigins: [server.origin] }, { maxBytes: 1_000 })
    expect(answer).toMatchObject({ status: 200, isCut: true, text: '\0'.repeat(1_000) })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000)
  })

  test('TOOL-05 abandons a body that is not gzip but claims to be', async () => {
    await using server = await loopbackServer((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('no'),
    )
    expect(await ask(server.origin, { privateOrigins: [server.origin] })).toBe('network')
  })

  const hanging: readonly [string, Parameters<typeof loopbackServer>[0]][] = [
    ['its headers', () => {}],
    ['the rest of its body', (response) => void response.writeHead(200).write('half')],
  ]
  test.each(hanging)(
    'TOOL-05 abandons a server that holds back %s, by one time limit for the whole request',
    async (_, answer) => {
      const isAsked = Promise.withResolvers<void>()
      await using server = await loopbackServer((response, request) => {
        answer?.(response, request)
        isAsked.resolve()
      })
      const clock = fakeClock()
      const asking = ask(server.origin, { privateOrigins: [server.origin], timeoutMs: 30_000, clock })
      await isAsked.promise
      clock.advance(30_000)
      expect(await asking).toBe('timeout')
    },
  )

  test('TOOL-05 ends with its signal, and when the client is closed', async () => {
    await using server = await loopbackServer(() => {})
    const reason = new Error('Enough.')
    const options = { privateOrigins: [server.origin] }
    expect(await ask(server.origin, options, { signal: AbortSignal.abort(reason) })).toBe(reason)
    const client = new GuardedClient(options)
    const asking = client.request(new URL(server.origin), { method: 'GET', maxBytes })
    const ended = asking.catch((error: unknown) => error)
    await client.close()
    expect(await ended).toMatchObject({ code: 'network' })
    await expect(client.request(new URL(server.origin), { method: 'GET', maxBytes })).rejects.toMatchObject({
      message: 'The client was closed.',
    })
  })

  test('TOOL-05 reports if a name has no address, or no server listens', async () => {
    expect(await ask('http://name.example/', { resolve: async () => [] })).toBe('network')
    const { origin, [Symbol.asyncDispose]: stop } = await loopbackServer()
    await stop()
    const client = new GuardedClient({ privateOrigins: [origin] })
    await expect(client.request(new URL(origin), { method: 'GET', maxBytes })).rejects.toThrow(/ECONNREFUSED/)
    await client.close()
  })
})
