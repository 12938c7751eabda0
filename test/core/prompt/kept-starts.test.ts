import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeptStarts } from '../../../src/core/domain/kept-starts.ts'
import { type Message, userMessage } from '../../../src/core/domain/message.ts'
import { PromptBuilder } from '../../../src/core/prompt/prompt-builder.ts'
import { Transcript } from '../../../src/core/runtime/transcript.ts'
import type { LogEntry } from '../../../src/core/domain/log.ts'

test("CTX-02 reports a list's unchanged beginning exactly, and all of the list if it has only grown", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(60), fc.nat(5)), { maxLength: 80 }), (edits) => {
      const starts = new KeptStarts()
      let list: readonly object[] = []
      const seen = [{ revision: 0, list }]
      for (const [from, added] of edits) {
        const kept = list.slice(0, from)
        list = [...kept, ...Array.from({ length: added }, () => ({}))]
        starts.changed(kept.length)
        seen.push({ revision: starts.revision, list })
      }
      for (const before of seen) {
        const kept = Math.min(starts.keptSince(before.revision), before.list.length)
        expect(list.slice(0, kept)).toEqual(before.list.slice(0, kept))
      }
    }),
    { numRuns: 300 },
  )
  const grown = new KeptStarts()
  for (let length = 0; length < 20; length++) grown.changed(length)
  expect([grown.keptSince(grown.revision), grown.keptSince(grown.revision - 1), grown.keptSince(5)]).toEqual([
    Infinity,
    19,
    5,
  ])
})

test('CTX-02 notices an early change after any number of later ones, and reports an unknown list as unknown', () => {
  const starts = new KeptStarts()
  for (let length = 0; length < 1000; length++) starts.changed(length)
  expect([starts.keptSince(3), starts.keptSince(999)]).toEqual([0, 999])
  starts.changed(4)
  expect(starts.keptSince(999)).toBe(4)
  expect(new Transcript().keptOf([])).toBeUndefined()
})

test('CTX-02 builds the same prompt from the kept beginning as from the whole transcript, after any late change', () => {
  const anyStep = fc.record({ appends: fc.integer({ min: 1, max: 3 }), isAnswer: fc.boolean(), changed: fc.nat(40) })
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
      const transcript = new Transcript()
      const builder = new PromptBuilder()
      const entries: LogEntry[] = []
      const shown = (entry: LogEntry) => (entry.kind === 'message' ? entry.message : undefined)
      for (const { appends, isAnswer, changed } of steps) {
        for (let count = 0; count < appends; count++) {
          const seq = entries.length
          entries.push({ kind: 'message', seq, message: messageOf(`m${seq}`, isAnswer) })
        }
        if (changed < entries.length) {
          entries[changed] = { kind: 'message', seq: changed, message: messageOf(`c${changed}`, false) }
          transcript.changed(changed)
        }
        const messages = transcript.from(entries, shown)
        const built = [...builder.build(messages, transcript.keptOf(builder.messages))]
        expect(built).toEqual(new PromptBuilder().build(messages))
      }
    }),
    { numRuns: 200 },
  )
})

function messageOf(text: string, isAnswer: boolean): Message {
  if (!isAnswer) return userMessage(text, 0)
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
  const content = [{ type: 'text' as const, text }]
  return { role: 'assistant', content, stopReason: 'stop', model: 'm', provider: 'p', usage, timestamp: 0 }
}
