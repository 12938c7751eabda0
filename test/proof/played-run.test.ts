import { expect, onTestFinished, test, vi } from 'vitest'
import { startJournal } from '../../proof/engines/journal.ts'
import { PlayedRun } from '../../proof/engines/played-run.ts'
import { serveShops } from '../../proof/engines/serve-shops.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

/** An engine that keeps runs in memory and drives none. */
async function engine(): Promise<string> {
  const shops = await serveShops({ storeOf: () => memoryStore(), drive: false, act: async () => 'never' })
  onTestFinished(() => shops[Symbol.asyncDispose]())
  return shops.url
}

test('SCALE-02 a run that an engine has stored and forgotten is lost, and a move seen late is a stall', async () => {
  const journal = await startJournal(0)
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(async () => {
    vi.useRealTimers()
    await journal[Symbol.asyncDispose]()
  })
  const run = new PlayedRun('run-0')
  const place = { url: await engine(), journal, since: performance.now(), fault: 'kills' }
  await run.advance(place)
  vi.advanceTimersByTime(12_000)
  await run.advance(place)
  expect(run.longestMs).toBe(12_000)
  expect(run.isDone).toBe(false)
  await run.advance({ ...place, url: await engine() })
  expect(run.problem).toBe('run-0 was stored, and is unknown now.')
})
