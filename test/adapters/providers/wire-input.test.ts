import { afterEach, describe, expect, test, vi } from 'vitest'
import { toolCallsOf } from '../../../src/core/domain/message.ts'
import { bytesOf, drip, faultServer, type Frame, stream } from '../../../proof/wires/fault-server.ts'
import type { Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask, type Heard } from './ask.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function hear(wire: Wire, frames: readonly Frame[]): Promise<Heard> {
  await using server = await faultServer(stream(frames, 'end', wire.mediaType))
  return await ask(wire.make(server.url))
}

async function callsIn(wire: Wire, frames: readonly Frame[]) {
  const { message, error } = await hear(wire, frames)
  expect(error).toBeUndefined()
  return message === undefined ? [] : toolCallsOf(message)
}

describe.each(wires)('$name', (wire) => {
  test('PRV-01 reads an answer whose bytes arrive one by one, split inside characters', async () => {
    const text = 'Grüße 😀 from 東京'
    await using server = await faultServer(drip(wire.answer(text), wire.mediaType))
    const { message } = await ask(wire.make(server.url))
    expect(message).toMatchObject({ content: [{ type: 'text', text }], stopReason: 'stop' })
  })

  test('PRV-01 ignores unknown events', async () => {
    const { message, error } = await hear(wire, [...wire.opening, wire.unknown, ...wire.closing])
    expect(error).toBeUndefined()
    expect(message?.content).toMatchObject([{ type: 'text', text: 'Hello' }])
  })

  test('PRV-01 returns an empty answer as one without content', async () => {
    const { events, message } = await hear(wire, wire.empty)
    expect(events).toHaveLength(1)
    expect(message).toMatchObject({ content: [], stopReason: 'stop' })
  })

  test('PRV-07 gives a call without an id a new one', async () => {
    expect(await callsIn(wire, wire.call('{}', '', 'weather'))).toMatchObject([
      { id: expect.stringMatching(/./), name: 'weather', arguments: {} },
    ])
  })

  test('PRV-07 reads an empty text as no arguments and any JSON unchanged', async () => {
    expect(await callsIn(wire, wire.call(''))).toMatchObject([{ arguments: {} }])
    expect(await callsIn(wire, wire.call('[1,2]'))).toMatchObject([{ arguments: [1, 2] }])
  })

  test('PRV-01 PRV-09 streams thinking, text and parallel calls, with their usage', async () => {
    const { message } = await hear(wire, wire.calls)
    expect(message).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Two cities.' },
        { type: 'text', text: 'Looking.' },
        { type: 'toolCall', name: 'weather', arguments: { city: 'Oslo' } },
        { type: 'toolCall', name: 'weather', arguments: { city: 'Rome' } },
      ],
      stopReason: 'toolUse',
      provider: wire.provider,
      usage: wire.usage,
    })
  })
})

/** Azure and Vertex are read by the very code of the wires they speak. */
const readers = wires.filter(({ name }) => name !== 'azure' && name !== 'vertex')

describe.each(readers)('$name', (wire) => {
  test('PRV-07 reads arguments of 10 MB', async () => {
    const text = 'x'.repeat(10_000_000)
    const [call] = await callsIn(wire, wire.call(JSON.stringify({ text })))
    expect(call?.arguments).toEqual({ text })
  })
})

describe.each(unless('slow drip'))('$name', (wire) => {
  test('PRV-05 does not treat slow bytes as silence, and counts from the last one', async () => {
    // Loads the package, which takes time that no fake clock knows.
    await ask(wire.make('http://127.0.0.1:9', { fetch: async () => new Response('', { status: 500 }) }))
    vi.useFakeTimers()
    const { body, send } = openBody()
    const headers = { 'content-type': wire.mediaType ?? 'text/event-stream' }
    const model = wire.make('http://127.0.0.1:9', {
      idleTimeoutMs: 60_000,
      fetch: async () => new Response(body, { headers }),
    })
    const heard = ask(model)
    const bytes = bytesOf(wire.opening)
    const size = Math.ceil(bytes.length / 5)
    for (let start = 0; start < bytes.length; start += size) {
      await vi.advanceTimersByTimeAsync(50_000)
      send(bytes.subarray(start, start + size))
    }
    await vi.advanceTimersByTimeAsync(60_000)
    const { events, error } = await heard
    expect(events).toEqual([{ type: 'text', delta: 'Hel' }])
    expect(String(error)).toContain('sent nothing for 60000 ms')
  })
})

describe.each(unless('content after the end'))('$name', (wire) => {
  test('PRV-01 stops at the first of two ends, and ignores what follows', async () => {
    const whole = [...wire.opening, ...wire.closing]
    const { events, message, error } = await hear(wire, [
      ...whole,
      ...wire.closing.slice(-2),
      ...wire.opening.slice(-1),
    ])
    expect(error).toBeUndefined()
    expect(events.map((event) => (event.type === 'text' ? event.delta : event.type))).toEqual(['Hel', 'lo', 'finished'])
    expect(message?.content).toMatchObject([{ type: 'text', text: 'Hello' }])
  })
})

describe.each(unless('call without a name'))('$name', (wire) => {
  test('PRV-07 accepts a call without a name, which is answered as an unknown tool', async () => {
    expect(await callsIn(wire, wire.call('{}', 'call_9', ''))).toMatchObject([{ id: 'call_9', name: '' }])
  })
})

describe.each(unless('malformed arguments'))('$name', (wire) => {
  test('PRV-07 reports a call whose arguments are not JSON', async () => {
    expect(await callsIn(wire, wire.call('{"city": Oslo}'))).toMatchObject([
      { arguments: {}, malformed: expect.stringContaining('JSON') },
    ])
  })
})

describe.each(unless('missing key'))('$name', (wire) => {
  test.each(['line\nbreak', 'ends\n', 'cliché'])('PRV-02 refuses a key that no header accepts: %j', async (apiKey) => {
    await using server = await faultServer(stream([...wire.opening, ...wire.closing], 'end', wire.mediaType))
    const { error } = await ask(wire.make(server.url, { apiKey }))
    expect(error).toMatchObject({ name: 'ModelError', kind: 'auth' })
    expect(String(error)).not.toContain(apiKey)
    expect(server.requests).toHaveLength(0)
  })

  test('PRV-05 requests new credentials on demand, and uses them for the next call', async () => {
    await using server = await faultServer(stream([...wire.opening, ...wire.closing], 'end', wire.mediaType))
    const asked: boolean[] = []
    const credentials = (refresh: boolean) => {
      asked.push(refresh)
      return refresh ? 'fresh' : 'stale'
    }
    const model = wire.make(server.url, { credentials })
    await ask(model)
    await model.refreshCredentials?.()
    await ask(model)
    await ask(model)
    expect(asked).toEqual([false, true, false])
    const sent = server.requests.map(({ headers }) => JSON.stringify(headers).includes('fresh'))
    expect(sent).toEqual([false, true, false])
  })
})

/** A body whose bytes come when they are sent. */
function openBody() {
  let send: (bytes: Uint8Array) => void = () => undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = (bytes) => controller.enqueue(bytes)
    },
  })
  return { body, send: (bytes: Uint8Array) => send(bytes) }
}

/** The wires that can be asked this; the others say why not. */
function unless(cell: string): readonly Wire[] {
  return wires.filter(({ excused }) => excused?.[cell] === undefined)
}
