import * as fc from 'fast-check'
import type { AssistantMessage, Message } from '../../../src/core/domain/message.ts'
import { noUsage } from '../../../src/core/domain/usage.ts'
import { TokenCounter } from '../../../src/core/prompt/estimate-tokens.ts'
import type { moveCut } from '../../../src/core/prompt/move-cut.ts'

const anyText = fc.oneof(
  fc.string({ maxLength: 40, unit: 'grapheme' }),
  fc.integer({ min: 1, max: 80 }).map((lines) => 'line 😀\n'.repeat(lines)),
  fc.integer({ min: 1, max: 3000 }).map((letters) => 'aé漢😀'.repeat(letters)),
)

const anyTurn = fc
  .record({ text: anyText, results: fc.array(anyText, { maxLength: 4 }), image: fc.boolean() })
  .map(({ text, results, image }, turn: number = 0) => ({ text, results, image, turn }))

/** A conversation: now and then a question, answers with calls, and results of most of them. */
export const anyHistory = fc
  .array(fc.record({ asked: fc.option(anyText, { nil: undefined }), turn: anyTurn, lost: fc.boolean() }), {
    maxLength: 30,
  })
  .map((turns) =>
    turns.flatMap(({ asked, turn: { text, results, image }, lost }, index): readonly Message[] => [
      ...(asked === undefined ? [] : [said(asked, image)]),
      answer(index, text, results.length),
      ...results.slice(Number(lost)).map((result, call) => resultOf(index, call + Number(lost), result)),
    ]),
  )

function said(text: string, image: boolean): Message {
  const picture = { type: 'image' as const, data: 'A'.repeat(400), mimeType: 'image/png' }
  return { role: 'user', content: [{ type: 'text', text }, ...(image ? [picture] : [])], timestamp: 0 }
}

/** An answer of a turn, with so many calls. */
export function answer(turn: number, text: string, calls: number): AssistantMessage {
  const made = Array.from({ length: calls }, (_, call) => ({
    type: 'toolCall' as const,
    id: `c${call}`,
    callId: `${turn}.c${call}`,
    name: 'act',
    arguments: { text },
  }))
  const content = [{ type: 'text' as const, text }, ...made]
  return { role: 'assistant', content, stopReason: 'stop', model: 'm', provider: 'p', usage: noUsage, timestamp: 0 }
}

/** The result of a turn's call. */
export function resultOf(turn: number, call: number, text: string): Message {
  return {
    role: 'toolResult',
    callId: `${turn}.c${call}`,
    toolCallId: `c${call}`,
    toolName: 'act',
    content: [{ type: 'text', text }],
    isError: false,
    status: 'success',
    timestamp: 0,
  }
}

/** Plans of every size, from far too small to ample. */
export const anyPlan = fc.record({
  most: fc.integer({ min: 50, max: 6000 }),
  keepFirst: fc.nat(4),
  keepLast: fc.integer({ min: 1, max: 12 }),
  outputLines: fc.integer({ min: 1, max: 60 }),
})

type Plan = Parameters<typeof moveCut>[2]

/** A plan with the half of its room for its target. */
export function planFor(given: Pick<Plan, 'most' | 'keepFirst' | 'keepLast' | 'outputLines'>, own: number): Plan {
  return { ...given, target: given.most / 2, own, maskedBefore: 0, counter: new TokenCounter() }
}
