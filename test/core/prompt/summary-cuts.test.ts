import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ModelMessage, textOf, toolCallsOf, userMessage } from '../../../src/core/domain/message.ts'
import { type Cut, noCut } from '../../../src/core/prompt/cut.ts'
import { TokenCounter } from '../../../src/core/prompt/estimate-tokens.ts'
import { moveCut } from '../../../src/core/prompt/move-cut.ts'
import { PromptBuilder } from '../../../src/core/prompt/prompt-builder.ts'
import { SentPrompt } from '../../../src/core/prompt/sent-prompt.ts'
import { summaryCut, summaryRange } from '../../../src/core/prompt/summary-range.ts'
import { anyHistory, anyPlan, planFor } from './any-history.ts'

const callsOf = (message: ModelMessage) =>
  message.role === 'assistant' ? toolCallsOf(message).map(({ callId, id }) => callId ?? id) : []

function sentOf(prompt: readonly ModelMessage[], cut: Cut): SentPrompt {
  const sent = new SentPrompt(new TokenCounter(), false)
  sent.update(prompt, cut)
  return sent
}

/** The growth of a conversation, and the length of a model's summaries of it. */
const anyGrowth = fc.record({
  ends: fc.array(fc.nat(120), { minLength: 1, maxLength: 6 }),
  words: fc.integer({ min: 1, max: 400 }),
})

test('L12 CTX-02 RUN-02 sends a valid prompt for a growing history that is summarized again and again', () => {
  fc.assert(
    fc.property(anyHistory, anyPlan, anyGrowth, (history, given, { ends, words }) => {
      let cut: Cut = noCut
      let paid = 0
      for (const end of [...ends.toSorted((left, right) => left - right), history.length]) {
        const prompt = [...new PromptBuilder().build(history.slice(0, end))]
        const before = sentOf(prompt, cut)
        const plan = planFor(given, before.list.length)
        if (before.tokens <= plan.most) continue
        const range = summaryRange(before.list, cut, plan)
        if (range !== undefined) {
          const summary = userMessage(`[Summary] ${++paid} ${'word '.repeat(words)}`, 0)
          cut = summaryCut(prompt, before.list, { cut, range, summary })
        }
        const told = sentOf(prompt, cut)
        // Beside a summary the tiers apply, which leave the summary where it is.
        if (told.tokens > plan.most) cut = moveCut(told.list, cut, planFor(given, told.list.length)).cut
        const sent = sentOf(prompt, cut)
        expect(new PromptBuilder().build(sent.messages)).toEqual(sent.messages)
        // The stored form: read back, it sends the same bytes.
        const stored: Cut = JSON.parse(JSON.stringify(cut))
        expect(JSON.stringify(sentOf(prompt, stored).messages)).toBe(JSON.stringify(sent.messages))
        const order = prompt.flatMap(callsOf)
        const places = sent.messages.flatMap(callsOf).map((call) => order.indexOf(call))
        expect(places).toEqual([...new Set(places)].toSorted((left, right) => left - right))
        expect(places.every((place) => place >= 0)).toBe(true)
        // The latest summary tells of those before it: one is sent at most, and none is paid for again.
        const summaries = sent.messages.map(textOf).filter((text) => /^\[Summary\] \d+ /.test(text))
        expect(summaries.length).toBeLessThanOrEqual(1)
        expect(range === undefined || summaries[0]?.startsWith(`[Summary] ${paid} `)).toBe(true)
        const again = planFor(given, sent.list.length)
        expect(sent.tokens > again.target || summaryRange(sent.list, cut, again) === undefined).toBe(true)
      }
    }),
    { numRuns: 250 },
  )
})
