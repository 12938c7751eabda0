import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ModelMessage, textOf, toolCallsOf, userMessage } from '../../../src/core/domain/message.ts'
import { type Cut, endOf, isSameCut, noCut } from '../../../src/core/prompt/cut.ts'
import { TokenCounter } from '../../../src/core/prompt/estimate-tokens.ts'
import { knownTokens, SentPrompt } from '../../../src/core/prompt/sent-prompt.ts'
import { moveCut } from '../../../src/core/prompt/move-cut.ts'
import { PromptBuilder } from '../../../src/core/prompt/prompt-builder.ts'
import { anyHistory, anyPlan, answer, planFor, resultOf } from './any-history.ts'
import { shortenBytes, shortenLines } from '../../../src/core/prompt/shorten-text.ts'

function sentOf(prompt: readonly ModelMessage[], cut: Cut): SentPrompt {
  const sent = new SentPrompt(new TokenCounter(), false)
  sent.update(prompt, cut)
  return sent
}

/** A text that is no whole one would be written otherwise than it is. */
const isWhole = (text: string) => Buffer.from(text, 'utf8').toString('utf8') === text

test('L12 CTX-02 RUN-02 compacts any history to a valid prompt: whole pairs, deterministic, and within the budget unless everything is cut', () => {
  fc.assert(
    fc.property(anyHistory, anyPlan, (history, given) => {
      const prompt = [...new PromptBuilder().build(history)]
      const plan = planFor(given, prompt.length)
      const { cut, tokens, tier } = moveCut(prompt, noCut, plan)
      const sent = sentOf(prompt, cut)

      expect(sent.tokens).toBe(tokens)
      expect(new PromptBuilder().build(sent.messages)).toEqual(sent.messages)
      expect(moveCut(prompt, noCut, planFor(given, prompt.length))).toEqual({ cut, tokens, tier })
      expect(JSON.stringify(sentOf(prompt, JSON.parse(JSON.stringify(cut))).messages)).toBe(
        JSON.stringify(sent.messages),
      )
      expect(sent.messages.every((message) => isWhole(textOf(message)))).toBe(true)
      const calls = new Set(prompt.flatMap((message) => callsOf(message)))
      expect(sent.messages.flatMap(callsOf).filter((call) => !calls.has(call))).toEqual([])
      // An impossible budget is reported by a tier in which every kept text has the minimum length.
      expect(tokens <= plan.most || (tier === 4 && cut.texts?.bytes === 100)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

function callsOf(message: ModelMessage): readonly string[] {
  return message.role === 'assistant' ? toolCallsOf(message).map(({ callId, id }) => callId ?? id) : []
}

test('L12 CTX-02 a second compaction changes nothing', () => {
  fc.assert(
    fc.property(anyHistory, anyPlan, (history, given) => {
      const prompt = [...new PromptBuilder().build(history)]
      const plan = planFor(given, prompt.length)
      const first = moveCut(prompt, noCut, plan)
      const second = moveCut(prompt, first.cut, plan)
      expect(first.tokens > plan.target || isSameCut(first.cut, second.cut)).toBe(true)
      expect(moveCut(prompt, second.cut, plan).cut).toEqual(second.cut)
    }),
    { numRuns: 500 },
  )
})

test('CTX-02 builds the same prompt step by step as from the whole transcript, however far the cut moves', () => {
  fc.assert(
    fc.property(anyHistory, anyPlan, fc.boolean(), fc.array(fc.nat(200)), (history, given, isMasking, ends) => {
      const steps = new SentPrompt(new TokenCounter(), isMasking)
      let cut: Cut = noCut
      for (const end of [...ends.toSorted((left, right) => left - right), history.length]) {
        const prompt = new PromptBuilder().build(history.slice(0, end))
        if (endOf(cut) > prompt.length) cut = noCut
        steps.update(prompt, cut)
        const plan = planFor(given, prompt.length)
        if (steps.tokens > plan.most) cut = moveCut(steps.list, cut, { ...plan, maskedBefore: steps.maskedBefore }).cut
        steps.update(prompt, cut)
        const whole = new SentPrompt(new TokenCounter(), isMasking)
        whole.update(prompt, cut)
        expect(steps.messages).toEqual(whole.messages)
        expect(steps.tokens).toBe(whole.tokens)
      }
    }),
    { numRuns: 500 },
  )
})

test('L10 CTX-02 cuts an output to its head, its tail and a line between them, and never cuts it again', () => {
  const text = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n')
  const cut = shortenLines(text, 10)
  expect(cut.split('\n')).toEqual([
    ...['line 0', 'line 1', 'line 2', 'line 3', 'line 4'],
    '[... 91 lines truncated ...]',
    ...['line 96', 'line 97', 'line 98', 'line 99'],
  ])
  expect(shortenLines(cut, 10)).toBe(cut)
  expect(shortenLines(text, 100)).toBe(text)
  expect(shortenLines(`${text}\n`, 100)).toBe(`${text}\n`)
})

test.for([
  ['lines', Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n'), 160],
  ['one long line', 'a'.repeat(1000), 160],
  ['characters of four bytes', '😀'.repeat(1000), 163],
  ['a long line between short ones', `x\n${'b'.repeat(500)}\ny`, 150],
] as const)(
  'CTX-02 cuts %s to a number of bytes without splitting a character, and never cuts it again',
  ([, text, most]) => {
    const cut = shortenBytes(text, most)
    expect(cut).toMatch(/\[\.\.\. \d+ (lines|characters) truncated \.\.\.\]/)
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most)
    expect(isWhole(cut)).toBe(true)
    expect(shortenBytes(cut, most)).toBe(cut)
  },
)

test('CTX-02 changes only outputs of tools if shorter outputs are enough', () => {
  const history = Array.from({ length: 6 }, (_, turn) => [
    userMessage(`Question ${turn}`, 0),
    answer(turn, 'Yes.', 1),
    resultOf(turn, 0, 'done\n'.repeat(100)),
  ]).flat() as ModelMessage[]
  const plan = planFor({ most: 800, keepFirst: 1, keepLast: 2, outputLines: 5 }, history.length)
  const { cut, tokens, tier } = moveCut(history, noCut, plan)
  expect({ tier, fits: tokens <= plan.target }).toEqual({ tier: 1, fits: true })
  const { messages } = sentOf(history, cut)
  const isOutput = ({ role }: ModelMessage) => role === 'toolResult'
  expect(messages.filter((message) => !isOutput(message))).toEqual(history.filter((message) => !isOutput(message)))
  expect(messages.filter(isOutput).map((message) => textOf(message).split('\n').length < 10)).toEqual([
    ...[true, true, true, true, true],
    false,
  ])
})

test('CTX-02 summarizes each old turn in one line, and leaves out as little of the middle as possible', () => {
  const history = Array.from({ length: 6 }, (_, turn) => [
    userMessage(`Question ${turn}`, 0),
    answer(turn, turn === 1 ? 'Yes.' : 'A long answer. '.repeat(40), turn % 2),
    ...(turn % 2 === 1 ? [resultOf(turn, 0, 'done')] : []),
  ]).flat() as ModelMessage[]
  const plan = { ...planFor({ most: 1000, keepFirst: 1, keepLast: 2, outputLines: 5 }, history.length), target: 700 }
  const lines = (cut: Cut) => sentOf(history, cut).messages.map((message) => textOf(message).slice(0, 40))

  const turns = moveCut(history, noCut, plan)
  expect(turns).toMatchObject({ tier: 2 })
  expect(lines(turns.cut)).toEqual([
    'Question 0',
    '[Summary] A long answer. A long answer. ',
    'Question 1',
    '[Summary] Yes. [called act]',
    'Question 2',
    '[Summary] A long answer. A long answer. ',
    'Question 3',
    '[Summary] A long answer. A long answer. ',
    'Question 4',
    '[Summary] A long answer. A long answer. ',
    'Question 5',
    'A long answer. A long answer. A long ans',
    'done',
  ])
  const middle = moveCut(history, noCut, { ...plan, target: 520 })
  expect(middle.tier).toBe(3)
  expect(lines(middle.cut).slice(0, 3)).toEqual([
    'Question 0',
    '[Context compacted: 6 messages removed t',
    'Question 3',
  ])
})

test("CTX-01 ignores a provider's token count that belongs to another prompt", () => {
  const usage = { input: 150, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 151 }
  const prompt = [userMessage('x'.repeat(400), 0), { ...answer(0, 'Yes.', 0), usage }, userMessage('More', 0)]
  const sent = sentOf(prompt, noCut)
  const behind = sent.tokens - (sent.tokensBefore(1) ?? 0)
  expect(knownTokens(sent, { since: 1, overhead: 20 })).toBe(150 - 20 + behind)
  expect(knownTokens(sent, { since: 2, overhead: 20 })).toBe(sent.tokens)
})

test('CTX-01 counts tokens that a provider read from its cache and wrote to it', () => {
  const usage = { input: 30, output: 1, cacheRead: 100, cacheWrite: 20, totalTokens: 151 }
  const prompt = [userMessage('x'.repeat(400), 0), { ...answer(0, 'Yes.', 0), usage }, userMessage('More', 0)]
  const sent = sentOf(prompt, noCut)
  const behind = sent.tokens - (sent.tokensBefore(1) ?? 0)
  expect(knownTokens(sent, { since: 1, overhead: 10 })).toBe(30 + 100 + 20 - 10 + behind)
})

test('CTX-02 does not read messages again that are already left out', () => {
  const counted: ModelMessage[] = []
  class Counting extends TokenCounter {
    override of(message: ModelMessage): number {
      counted.push(message)
      return super.of(message)
    }
  }
  const plan = { ...planFor({ most: 400, keepFirst: 2, keepLast: 4, outputLines: 5 }, 0), counter: new Counting() }
  const work = (length: number) => {
    const history = Array.from({ length }, (_, index) => userMessage(`Message ${index}`, 0))
    const { cut } = moveCut(history, noCut, { ...plan, own: length })
    counted.length = 0
    moveCut([...history, userMessage('One more.', 0)], cut, { ...plan, own: length + 1, target: 100 })
    return counted.length
  }
  expect(work(5000)).toBe(work(200))
})

test('CTX-02 keeps the turn of an open call byte for byte, with any messages left out around it', () => {
  const waits = "Tool 'act' is awaiting approval. Execution paused."
  const open = [answer(1000, 'Look '.repeat(300), 2), resultOf(1000, 0, 'line\n'.repeat(90)), resultOf(1000, 1, waits)]
  fc.assert(
    fc.property(anyHistory, anyPlan, fc.nat(), (history, given, at) => {
      const places = history.flatMap(({ role }, place) => (role === 'toolResult' ? [] : [place]))
      const before = places[at % Math.max(places.length, 1)] ?? 0
      const prompt = [...new PromptBuilder().build([...history.slice(0, before), ...open, ...history.slice(before)])]
      const { cut } = moveCut(prompt, noCut, planFor(given, prompt.length))
      const more = Array.from({ length: 20 }, (_, turn) => answer(2000 + turn, 'x'.repeat(2000), 0))
      const longer = [...prompt, ...more]
      const next = moveCut(longer, cut, planFor(given, longer.length)).cut
      for (const sent of [sentOf(prompt, cut).messages, sentOf(longer, next).messages]) {
        expect(sent.filter((message) => open.some((one) => one === message))).toEqual(open)
        expect(new PromptBuilder().build(sent)).toEqual(sent)
      }
    }),
    { numRuns: 300 },
  )
})
