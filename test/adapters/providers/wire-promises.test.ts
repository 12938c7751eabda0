import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, tool } from '../../../src/index.ts'
import { faultServer, type Frame, type Reply, stream } from '../../../proof/wires/fault-server.ts'
import type { Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask } from './ask.ts'

/** Answers the first request with the first stream, and so on. */
function inTurn(wire: Wire, ...streams: readonly (readonly Frame[])[]): Reply {
  const replies = [...streams]
  return (response) => stream(replies.shift() ?? [], 'end', wire.mediaType)(response)
}

async function corrected(wire: Wire, ...answers: readonly (readonly Frame[])[]) {
  await using server = await faultServer(inTurn(wire, ...answers, wire.answer('It rains.')))
  const asked: string[] = []
  const weather = tool({
    name: 'weather',
    description: 'Tells the weather.',
    input: z.object({ city: z.string() }),
    effects: 'none',
    execute: ({ city }) => {
      asked.push(city)
      return `Rain in ${city}.`
    },
  })
  const { text, outcome } = await createAgent({ name: 'guide', model: wire.make(server.url), tools: [weather] }).run(
    'Go',
  )
  const bodies = server.requests.map(({ body }) => JSON.stringify(body))
  return { end: [outcome.reason, text], asked, bodies }
}

const right = (wire: Wire) => wire.call('{"city":"Oslo"}', 'call_2')

test.each(wires.filter(({ excused }) => excused?.['malformed arguments'] === undefined))(
  'PRV-07 $name tells the model that its arguments are not JSON, and the model corrects them',
  async (wire) => {
    const { end, asked, bodies } = await corrected(wire, wire.call('{"city": Oslo}', 'call_1'), right(wire))
    expect(end).toEqual(['natural_end', 'It rains.'])
    expect(asked).toEqual(['Oslo'])
    expect(bodies).toHaveLength(3)
    expect(bodies[1]).toMatch(/The arguments for .{0,3}weather.{0,3} could not be read: /)
    expect(bodies[2]).toContain('Rain in Oslo.')
  },
)

test.each(wires)(
  'PRV-07 $name tells the model that its arguments have another shape, and the model corrects them',
  async (wire) => {
    const { end, asked, bodies } = await corrected(wire, wire.call('{"city":5}', 'call_1'), right(wire))
    expect(end).toEqual(['natural_end', 'It rains.'])
    expect(asked).toEqual(['Oslo'])
    expect(bodies[1]).toContain('city')
    expect(bodies[2]).toContain('Rain in Oslo.')
  },
)

const whole = wires.flatMap((wire) => [
  { wire, what: 'a text', frames: wire.answer('Hello'), stopReason: 'stop' },
  { wire, what: 'an answer with calls', frames: wire.calls, stopReason: 'toolUse' },
  { wire, what: 'an answer cut off at its limit', frames: wire.cutOff, stopReason: 'length' },
])

test.each(whole)(
  'PRV-01 $wire.name streams $what as deltas, then one message with the stop reason $stopReason and its usage',
  async ({ wire, frames, stopReason }) => {
    await using server = await faultServer(inTurn(wire, frames))
    const { events, message } = await ask(wire.make(server.url))
    expect(events.filter(({ type }) => type === 'finished')).toHaveLength(1)
    expect(events.at(-1)?.type).toBe('finished')
    expect(events.length).toBeGreaterThan(1)
    if (message === undefined) throw new Error('There is no message.')
    expect(message.stopReason).toBe(stopReason)
    const { input, output, cacheRead, cacheWrite, totalTokens } = message.usage
    expect(Object.keys(message.usage).toSorted()).toEqual(
      ['input', 'output', 'cacheRead', 'cacheWrite', 'totalTokens'].toSorted(),
    )
    expect(totalTokens).toBe(input + output + cacheRead + cacheWrite)
  },
)
