import { describe, expect, test } from 'vitest'
import { type AssistantMessage, textOf, toolCallsOf } from '../../../src/core/domain/message.ts'
import { drip, faultServer, type Frame, type Reply, stream } from '../../../proof/wires/fault-server.ts'
import { type SdkReading, sdkReadings } from '../../../proof/wires/sdk-reading.ts'
import type { Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask } from './ask.ts'

const texts = [
  'Hello',
  'Two\nlines\r\nand\ttabs',
  'Grüße 😀 from 東京',
  '{"looks": "like JSON"}',
  'data: looks like a frame',
  ' begins and ends with blanks ',
  '\u2028 and \u0000 and \ufeff',
  '```ts\nconst x = `${y}`\n```',
  'x'.repeat(20_000),
]

const inputs = [
  {},
  { city: 'Oslo' },
  { city: 'São Paulo 😀' },
  { nested: { list: [1, [2, { three: null }]] } },
  { number: 1e21, small: -0.5, yes: true, no: false, none: null },
  { text: 'quote " backslash \\ newline \n' },
  { empty: '', list: [], object: {} },
  { long: 'y'.repeat(20_000) },
  Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, index])),
]

function streamsOf(wire: Wire): readonly (readonly [name: string, frames: readonly Frame[]])[] {
  return [
    ...texts.map((text, index) => [`text ${index}`, wire.answer(text)] as const),
    ...inputs.map((input, index) => [`call ${index}`, wire.call(JSON.stringify(input), 'call_1')] as const),
    ['parallel calls', wire.calls],
    ['two deltas', [...wire.opening, ...wire.closing]],
    ['a cut-off answer', wire.cutOff],
    ['an unknown frame', [...wire.opening, wire.unknown, ...wire.closing]],
  ]
}

/** The words of the wires for the three ways an answer ends well. */
const stops: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['end_turn', 'stop', 'completed', 'STOP'].map((word) => [word, 'stop'])),
  ...Object.fromEntries(['max_tokens', 'length', 'max_output_tokens', 'MAX_TOKENS'].map((word) => [word, 'length'])),
  ...Object.fromEntries(['tool_use', 'tool_calls'].map((word) => [word, 'toolUse'])),
}

function ours(message: AssistantMessage | undefined): SdkReading | undefined {
  if (message === undefined) return undefined
  const { usage } = message
  return {
    text: textOf(message),
    calls: toolCallsOf(message).map((call) => ({ name: call.name, arguments: call.arguments })),
    stop: message.stopReason,
    tokens: { input: usage.input + usage.cacheRead + usage.cacheWrite, output: usage.output },
  }
}

/** Two wires say `stop` whether there are calls or not. */
function inOurWords({ calls, stop, ...rest }: SdkReading): SdkReading {
  const word = stops[stop] ?? stop
  return { calls, stop: word === 'stop' && calls.length > 0 ? 'toolUse' : word, ...rest }
}

async function bothOf(wire: Wire, reply: Reply) {
  await using server = await faultServer(reply)
  const theirs = await sdkReadings[wire.name]?.(server.url)
  return { theirs: theirs && inOurWords(theirs), ours: ours((await ask(wire.make(server.url))).message) }
}

describe.each(wires)('$name', (wire) => {
  test.each(streamsOf(wire))("PRV-01 PRV-09 reads %s like the provider's own package", async (_name, frames) => {
    const both = await bothOf(wire, stream(frames, 'end', wire.mediaType))
    expect(both.theirs).toBeDefined()
    expect(both.ours).toEqual(both.theirs)
  })

  test("PRV-01 reads bytes that arrive one by one like the provider's own package", async () => {
    const both = await bothOf(wire, drip(wire.calls, wire.mediaType))
    expect(both.ours).toEqual(both.theirs)
  })

  test('PRV-01 compares at least twenty streams', () => {
    expect(streamsOf(wire).length).toBeGreaterThanOrEqual(20)
  })
})
