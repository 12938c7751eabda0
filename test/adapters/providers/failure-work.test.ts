import { expect, test } from 'vitest'
import { withoutSlashes } from '../../../src/adapters/providers/wire/base-address.ts'
import { httpFailure, lineFailure } from '../../../src/adapters/providers/wire/failure.ts'
import { faultServer, page } from '../../../proof/wires/fault-server.ts'
import { responsesWire } from '../../../proof/wires/responses-wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask } from './ask.ts'

const wire = { provider: 'acme', keySource: 'ACME_API_KEY' }
const many = 45_000

/** Error bodies of the worst kinds, each as much as is read of one. */
const bodies: readonly (readonly [what: string, body: string])[] = [
  ['lists in lists', '['.repeat(many) + ']'.repeat(many)],
  ['errors in errors', `${'{"error":'.repeat(8_000)}1${'}'.repeat(8_000)}`],
  ['details in details', `${'{"details":['.repeat(5_000)}1${']}'.repeat(5_000)}`],
  ['blanks', ' '.repeat(2 * many)],
  ['the beginnings of addresses', '://'.repeat(30_000)],
  ['a message without end', JSON.stringify({ error: { message: 'x'.repeat(10_000_000) } })],
]

test.each(bodies)('PRV-05 makes a short error from a body of %s', (_what, body) => {
  const answer = { status: 500, headers: new Headers(), body, asked: 'http://127.0.0.1:9/v1' }
  const error = httpFailure(wire, answer, 0)
  expect(error).toMatchObject({ name: 'ModelError', kind: 'network', status: 500 })
  expect(error.message.length).toBeLessThan(400)
})

test.each(bodies)('PRV-05 makes a short error from an error event of %s', (_what, body) => {
  const value: unknown = body.startsWith(' ') || body.startsWith(':') ? body : JSON.parse(body)
  const error = lineFailure(wire, Object.assign(new Error('The stream reported a failure.'), { error: value }))
  expect(error).toMatchObject({ name: 'ModelError' })
  expect(error.message.length).toBeLessThan(400)
})

test('PRV-05 stops at an error that is its own cause', () => {
  const error = new Error('round and round')
  error.cause = error
  expect(lineFailure(wire, error).message.length).toBeLessThan(400)
})

test('PRV-05 keeps the beginning of a long connection error', () => {
  const error = lineFailure(wire, new Error(`reset ${'x'.repeat(10_000_000)}`))
  expect(error.message).toContain('could not be reached, or the connection broke: reset x')
  expect(error.message.length).toBeLessThan(400)
})

test.each([
  [new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }), 'network'],
  [new TypeError('fetch failed'), 'network'],
  [new TypeError('terminated', { cause: new Error('other side closed') }), 'network'],
  [new TypeError('Failed to fetch'), 'network'],
  [new Error('socket hang up'), 'network'],
  [new TypeError("Cannot read properties of undefined (reading 'delta')"), 'api'],
  [new ReferenceError('x is not defined'), 'api'],
  [new RangeError('Maximum call stack size exceeded'), 'api'],
  [new Error('Connection error.', { cause: new TypeError('x.map is not a function') }), 'api'],
])('PRV-05 classifies %s as %s', (error, kind) => {
  expect(lineFailure(wire, error)).toMatchObject({ name: 'ModelError', kind })
})

test.each(wires)('PRV-05 $name does not retry if the quota is used up', async (one) => {
  const error = { type: 'insufficient_quota', code: 'insufficient_quota', message: 'You exceeded your current quota.' }
  await using server = await faultServer(page(429, JSON.stringify({ error }), { 'content-type': 'application/json' }))
  expect((await ask(one.make(server.url))).error).toMatchObject({ kind: 'api', status: 429 })
})

test.each(wires)('PRV-05 $name names the address that was not found, without secrets', async (one) => {
  await using server = await faultServer(page(404, '{"error":{"message":"Not Found"}}'))
  const { error } = await ask(one.make(server.url))
  expect(String(error)).toContain(`answered HTTP 404: Not Found The request went to ${server.url}/`)
  expect(String(error)).toContain('Check the base URL and the model.')
})

test('PRV-05 names the address that was not found without user, password or query', () => {
  const asked = 'https://eve:hunter2@acme.example/v1/chat?key=hunter3#hunter4'
  const error = httpFailure(wire, { status: 404, headers: new Headers(), body: '', asked }, 0)
  expect(error.message).toContain('The request went to https://acme.example/v1/chat. ')
  expect(error.message).not.toMatch(/hunter|eve/)
})

test('PRV-05 removes trailing slashes from an address in one pass from its end', () => {
  let looks = 0
  const text = `https://acme.example${'/'.repeat(100_000)}x`
  const counted = new Proxy(Object(text), {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks++
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(text) : value
    },
  })
  expect(withoutSlashes(counted)).toBe(text)
  expect(looks).toBe(1)
  expect(withoutSlashes(`https://acme.example/v1${'/'.repeat(100_000)}`)).toBe('https://acme.example/v1')
  expect(withoutSlashes('///')).toBe('')
})

test('PRV-05 accepts an address with many slashes', async () => {
  const fetch = async () => new Response('', { status: 500 })
  const { error } = await ask(responsesWire.make(`http://127.0.0.1:9${'/'.repeat(10)}`, { fetch }))
  expect(error).toMatchObject({ kind: 'network', status: 500 })
})
