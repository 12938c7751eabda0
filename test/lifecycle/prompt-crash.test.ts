import { expect, test } from 'vitest'
import { type FakeClock, fakeClock } from '../../proof/support/fake-clock.ts'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls, say } from '../../proof/support/say.ts'
import { heldReply, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import type { Run, Store } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { MortalProcess } from '../../src/testing/crash/mortal-process.ts'
import { mortalStore } from '../../src/testing/crash/mortal-store.ts'
import { temporaryFolder } from '../adapters/stores/temporary-folder.ts'

const nextId = 'run-2'
const replies = [calls(call('c', 'act', { n: 1 })), 'One', calls(call('c', 'act', { n: 2 })), 'Two', 'Three']

/** Every step that can be told apart is a commit of its own: hooks and plugins listen wherever they can. */
function watchedAgent(options: TestAgentOptions) {
  const { act, done } = toolbox()
  const nothing = () => undefined
  const plugin = { name: 'all', runStart: nothing, stepStart: nothing, stepEnd: nothing, runEnd: nothing }
  const hooks = { beforeRun: nothing, beforeTurn: nothing, afterTurn: nothing, afterRun: nothing }
  const warns = { name: 'warns', filterInput: () => ({ warn: 'Careful' }) }
  const tools = [act('act', { effects: 'idempotent' })]
  const made = testAgent({
    replies,
    tools,
    plugins: [plugin, { name: 'hooks', ...hooks }, warns],
    ...options,
  })
  return { done, ...made }
}

/** The stored events of a run, with their subjects. */
async function toldOf(run: Run): Promise<readonly string[]> {
  const told: string[] = []
  for await (const event of run.events({ deltas: false })) {
    told.push(event.type === 'message.ended' ? `${event.place} ${say(event.message)}` : event.type)
  }
  return told
}

/** A conversation of one run that was cancelled, so that its transcript ends with what stands in a user's place. */
async function cancelledRun(store: Store, clock: FakeClock) {
  const held = heldReply()
  const { agent } = watchedAgent({ store, clock, replies: [...replies.slice(0, 2), held.reply] })
  const run = agent.start('Hi', { runId })
  await run.settled()
  const after = await run.prompt('Never mind', { runId: 'stopped' })
  await held.asked
  await after.cancel()
  const { messages } = await after.settled()
  expect(messages.at(-1)).toMatchObject({ role: 'user' })
  return 'stopped'
}

async function onStores(use: (store: (clock: FakeClock) => Store) => Promise<void>): Promise<void> {
  using folder = temporaryFolder()
  const opened: Store[] = []
  let count = 0
  const sqlite = (given: { clock: FakeClock }) =>
    sqliteStore(folder.file(`runs-${++count}.db`), { synchronous: 'normal', ...given })
  for (const open of [memoryStore, sqlite]) {
    await use((clock) => {
      const store = open({ clock })
      opened.push(store)
      return store
    })
  }
  for (const store of opened) await store.close()
}

test.for(['before', 'after'] as const)(
  'AGT-02 TST-03 CKP-03 a continuing run is taken up after a crash %s any write, and emits everything once',
  { timeout: 60_000 },
  async (side) => {
    await onStores(async (newStore) => {
      const clock = fakeClock()
      const calm = newStore(clock)
      const original = await cancelledRun(calm, clock)
      const undisturbed = new MortalProcess()
      const whole = watchedAgent({ store: mortalStore(calm, undisturbed), clock })
      const next = await (await whole.agent.load(original)).prompt('More', { runId: nextId })
      await next.settled()
      const transcript = await transcriptOf(calm, nextId)
      const told = (await toldOf(next)).filter((line) => /: /.test(line)).map((line) => line.replace(/^\d+ /, ''))
      expect(told[0]).toBe('user: More[Warning: Careful]')
      expect(undisturbed.writes).toBeGreaterThan(6)

      for (let write = side === 'before' ? 2 : 1; write <= undisturbed.writes; write++) {
        const time = fakeClock()
        const store = newStore(time)
        await cancelledRun(store, time)
        const mortal = new MortalProcess({ write, side })
        const broken = watchedAgent({ store: mortalStore(store, mortal), clock: time })
        const driving = broken.agent
          .load(original)
          .then(async (run) => (await run.prompt('More', { runId: nextId })).settled())
        await expect(driving, `write ${write}`).rejects.toMatchObject({ code: 'store_unavailable' })
        time.advance(60_000)
        const later = watchedAgent({ store, clock: time, process: 'p2' })
        const run = await later.agent.load(nextId)
        await run.settled()
        expect(await transcriptOf(store, nextId), `stopped ${side} write ${write}`).toEqual(transcript)
        const again = (await toldOf(run)).filter((line) => /: /.test(line)).map((line) => line.replace(/^\d+ /, ''))
        expect(again, `stopped ${side} write ${write}`).toEqual(told)
        expect((await run.result()).text).toBe('Two')
      }
    })
  },
)
