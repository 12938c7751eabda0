import { expect, test } from 'vitest'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import type { EmittingEntry } from '../../../src/core/domain/log.ts'
import { userMessage } from '../../../src/core/domain/message.ts'
import { StoredEvents } from '../../../src/core/driving/stored-events.ts'
import type { Run } from '../../../src/index.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const replies = Array.from({ length: 30 }, () => ({ toolCalls: [{ name: 'act', arguments: {} }] }))

async function numbersOf(run: Run): Promise<readonly number[]> {
  const numbers: number[] = []
  for await (const { seq } of run.events({ deltas: false })) numbers.push(seq)
  return numbers
}

test('EVT-04 readers that follow one run together read each of its pages once', async () => {
  const read: number[] = []
  const kept = memoryStore()
  const store: Store = {
    ...kept,
    async entries(run, after, limit) {
      const entries = await kept.entries(run, after, limit)
      if (entries.length > 0) read.push(after)
      return entries
    },
  }
  const { agent } = testAgent({ store, replies: [...replies, 'Done.'] })
  const run = agent.start('Go', { runId })
  await run.settled()
  const numbers = await numbersOf(run)
  const pages = read.splice(0)
  expect(pages.length).toBeGreaterThan(2)
  const together = await Promise.all(Array.from({ length: 20 }, () => numbersOf(run)))
  expect(together).toEqual(together.map(() => numbers))
  expect(read).toEqual(pages)
})

test('EVT-04 a reader that comes while others find nothing reads what was stored meanwhile', async () => {
  const message = userMessage('Go', 0)
  const asked: ((entries: readonly EmittingEntry[]) => void)[] = []
  const rows = { entries: () => new Promise<readonly EmittingEntry[]>((resolve) => void asked.push(resolve)) }
  const readers = [1, 2].map(() => new StoredEvents(rows, { runId, subject: runId }))
  const pages = Promise.all(readers.map((reader) => reader.after(0)))
  await Promise.resolve()
  asked.shift()?.([])
  while (asked.length === 0) await Promise.resolve()
  asked.shift()?.([{ kind: 'message', seq: 1, message, at: 0, turn: 1 }])
  expect((await pages).map((page) => page.map(({ seq }) => seq))).toEqual([[], [1]])
})
