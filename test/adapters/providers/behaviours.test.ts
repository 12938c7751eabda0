import { describe, expect, test } from 'vitest'
import { toolCallsOf } from '../../../src/core/domain/message.ts'
import { cacheHitRate } from '../../../src/core/domain/usage.ts'
import type { ModelEvent } from '../../../src/core/ports/model.ts'
import { faultServer, type Frame, page, type Reply, silent, stream } from '../../../proof/wires/fault-server.ts'
import type { Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask, requestOf } from './ask.ts'
import { assistant, call, clock, picture, result, user } from './history.ts'

/**
 * The behaviour of every provider, one row each. A wire without a row says why in its `excused`; rows of the other
 * files of this folder may be excused by the same names.
 */
const behaviours: Readonly<Record<string, (wire: Wire) => Promise<void>>> = {
  text: async (wire) => {
    const { message } = await heard(wire, wire.answer('Hello'))
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'Hello' }], stopReason: 'stop' })
  },
  thinking: async (wire) => {
    const { events } = await heard(wire, wire.calls)
    expect(textsOf(events, 'thinking')).toBe('Two cities.')
  },
  'parallel calls': async (wire) => {
    const { message } = await heard(wire, wire.calls)
    const cities = message === undefined ? [] : toolCallsOf(message).map((block) => block.arguments)
    expect(cities).toEqual([{ city: 'Oslo' }, { city: 'Rome' }])
  },
  'images in results': async (wire) => {
    const messages = [
      user('Go'),
      assistant([call('a')], { provider: 'x', model: 'y' }),
      result('a', { content: [picture] }),
    ]
    expect(JSON.stringify(await sent(wire, { messages })).split('iVBORw0KGgo=')).toHaveLength(2)
  },
  usage: async (wire) => {
    const { message } = await heard(wire, wire.calls)
    expect(message?.usage).toEqual(wire.usage)
    expect(cacheHitRate(wire.usage)).toBeCloseTo(3 / 13)
  },
  'cache marks': async (wire) => {
    const body = await sent(wire, { system: 'Be brief.', tools: [clock], cache: 'auto' })
    expect(JSON.stringify(body)).toMatch(/cache_control|cachePoint/)
  },
  'a cut-off answer': async (wire) => {
    const { message } = await heard(wire, wire.cutOff)
    expect(message).toMatchObject({ content: [{ text: 'Hel' }], stopReason: 'length' })
  },
  abort: async (wire) => {
    await using server = await faultServer(stream(wire.opening, 'hold', wire.mediaType))
    const stop = new AbortController()
    const { error } = await ask(wire.make(server.url), requestOf({ signal: stop.signal }), () => stop.abort())
    expect(error).toMatchObject({ kind: 'cancelled' })
    await server.dropped
  },
  'no SDK retry': async (wire) => {
    await using server = await faultServer(
      page(503, '{"error":{"message":"down"}}', { 'content-type': 'application/json' }),
    )
    expect((await ask(wire.make(server.url))).error).toMatchObject({ kind: 'network' })
    expect(server.requests).toHaveLength(1)
  },
  'clean cut': (wire) => fails(wire, stream(wire.opening, 'end', wire.mediaType), 'network'),
  reset: (wire) => fails(wire, stream(wire.opening, 'reset', wire.mediaType), 'network'),
  'HTML 502': (wire) => fails(wire, page(502, '<html></html>', { 'content-type': 'text/html' }), 'network'),
  'malformed JSON': (wire) =>
    fails(wire, streamed(wire, [...wire.opening, wire.raw('{"type": "content_blo'), ...wire.closing]), 'network'),
  'error inside the stream': (wire) =>
    fails(wire, streamed(wire, [...wire.opening, wire.error('internal', 'oops')]), 'network'),
  silence: (wire) => fails(wire, silent, 'network', { idleTimeoutMs: 50 }),
  401: (wire) => fails(wire, json(401), 'auth'),
  403: (wire) => fails(wire, json(403), 'auth'),
  408: (wire) => fails(wire, json(408), 'network'),
  413: (wire) => fails(wire, page(413, ''), 'overflow'),
  429: (wire) => fails(wire, json(429), 'rate_limit'),
  529: (wire) => fails(wire, json(529), 'network'),
}

const cells = wires.flatMap((wire) => Object.keys(behaviours).map((behaviour) => ({ wire, behaviour })))

test.each(cells.filter(({ wire, behaviour }) => wire.excused?.[behaviour] === undefined))(
  'PRV-01 PRV-02 PRV-05 $wire.name: $behaviour',
  async ({ wire, behaviour }) => {
    await expect(behaviours[behaviour]?.(wire)).resolves.toBeUndefined()
  },
)

/** Rows of the other files of this folder. */
const elsewhere = [
  'slow drip',
  'cut after the end',
  'kept open after the end',
  'content after the end',
  'page with status 200',
  'error with status 200',
  'missing key',
  'redirect',
  'event without end',
  'malformed arguments',
  'call without a name',
]

describe('the table', () => {
  test('PRV-02 gives a reason for every empty cell, and no reason for a cell that does not exist', () => {
    const known = new Set([...Object.keys(behaviours), ...elsewhere])
    for (const { excused = {} } of wires) {
      for (const [behaviour, reason] of Object.entries(excused)) {
        expect(known).toContain(behaviour)
        expect(reason).toMatch(/\w+ \w+ \w+/)
      }
    }
  })
})

function streamed({ mediaType }: Wire, frames: readonly Frame[]): Reply {
  return stream(frames, 'end', mediaType)
}

function json(status: number): Reply {
  return page(status, '{"error":{"message":"no"}}', { 'content-type': 'application/json' })
}

async function heard(wire: Wire, frames: readonly Frame[]) {
  await using server = await faultServer(streamed(wire, frames))
  return await ask(wire.make(server.url))
}

async function sent(wire: Wire, parts: Parameters<typeof requestOf>[0]): Promise<unknown> {
  await using server = await faultServer(streamed(wire, [...wire.opening, ...wire.closing]))
  await ask(wire.make(server.url), requestOf(parts))
  return server.requests[0]?.body
}

async function fails(wire: Wire, reply: Reply, kind: string, options: { readonly idleTimeoutMs?: number } = {}) {
  await using server = await faultServer(reply)
  const { message, error } = await ask(wire.make(server.url, options))
  expect(message).toBeUndefined()
  expect(error).toMatchObject({ name: 'ModelError', kind })
}

function textsOf(events: readonly ModelEvent[], type: 'text' | 'thinking'): string {
  return events.map((event) => (event.type === type ? event.delta : '')).join('')
}
