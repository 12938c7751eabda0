import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { Json } from '../../../src/core/domain/text/json.ts'
import type { AssistantMessage } from '../../../src/core/domain/message.ts'
import { ModelError } from '../../../src/core/domain/model-error.ts'
import type { ModelEvent } from '../../../src/core/ports/model.ts'
import { altered } from '../../../proof/wires/altered.ts'
import { sampled } from '../../../proof/support/sampled.ts'
import { bytesOf, type Frame } from '../../../proof/wires/fault-server.ts'
import type { Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask, type Heard } from './ask.ts'

const replacements: readonly Json[] = [
  7070,
  -1,
  true,
  null,
  {},
  { seven: 7070 },
  [],
  [7070],
  [{ seven: 7070 }],
  'seventy',
]

const cells = wires.flatMap((wire) => replacements.map((replacement) => ({ wire, replacement })))

/** The content, thinking, calls and data of a stream; lost if no error says that it cannot be read. */
const read = /Two cities|Looking|^Hel|^lo$|"city":|^weather$|^sealed$|^(call|toolu|tooluse)_/

test.each(sampled(cells, 3))(
  'PRV-01 PRV-09 $wire.name reads an answer correctly or throws a ModelError, with $replacement instead of any value',
  async ({ wire, replacement }) => {
    const wrong: string[] = []
    for (const frames of [wire.calls, [...wire.opening, ...wire.closing], wire.cutOff]) {
      const meant = (await hear(wire, frames)).message?.content
      expect(meant).toBeDefined()
      for (const { place, was, frames: given } of altered(frames, replacement)) {
        // The content of a chunk may be a list, and an empty one holds nothing.
        const isNothing = replacement === null || (isEmptyList(replacement) && place.endsWith('.delta.content'))
        const isRead = typeof was === 'string' && read.test(was)
        const problem = problemIn(await hear(wire, given), isRead && !isNothing ? meant : undefined)
        if (problem !== undefined) wrong.push(`${place} was ${JSON.stringify(was)}: ${problem}`)
      }
    }
    expect(wrong.join('\n')).toBe('')
  },
)

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0
}

async function hear(wire: Wire, frames: readonly Frame[]): Promise<Heard> {
  const headers = { 'content-type': wire.mediaType ?? 'text/event-stream' }
  const fetch = async () => new Response(new Uint8Array(bytesOf(frames)), { headers })
  return await ask(wire.make('http://127.0.0.1:9', { fetch }))
}

function problemIn({ events, message, error }: Heard, meant?: AssistantMessage['content']): string | undefined {
  const odd = events.map(problemInEvent).find((problem) => problem !== undefined)
  if (odd !== undefined) return odd
  if (message === undefined) return error instanceof ModelError ? undefined : `no ModelError: ${String(error)}`
  if (meant !== undefined && !isDeepStrictEqual(message.content, meant)) return JSON.stringify(message.content)
  return problemInMessage(message)
}

function problemInEvent(event: ModelEvent): string | undefined {
  if (event.type === 'finished') return undefined
  const texts = event.type === 'toolCall' ? [event.id, event.name, event.delta] : [event.delta]
  return texts.every((text) => typeof text === 'string') ? undefined : `told ${JSON.stringify(event)}`
}

function problemInMessage(message: AssistantMessage): string | undefined {
  const { content, usage, stopReason, model, errorMessage = '' } = message
  if (Object.values(usage).some((count) => !Number.isInteger(count) || count < 0)) return JSON.stringify(usage)
  if (!['stop', 'length', 'toolUse', 'error'].includes(stopReason)) return `stopped for ${JSON.stringify(stopReason)}`
  const texts: unknown[] = [model, errorMessage]
  for (const block of content) {
    if (block.type === 'text') texts.push(block.text)
    if (block.type === 'thinking') texts.push(block.thinking, block.signature ?? '')
    if (block.type === 'toolCall') texts.push(block.id, block.name)
  }
  if (!texts.every((text) => typeof text === 'string')) return JSON.stringify(texts)
  const whole = texts.join(' ')
  if (/object Object|undefined|null|true|7070|NaN/.test(whole)) return whole
  return JSON.stringify(JSON.parse(JSON.stringify(message))) === JSON.stringify(message) ? undefined : 'no JSON'
}
