import { expect, test } from 'vitest'
import { createAgent, type Message, type Store, textOf, tool } from '../../../src/index.ts'
import { isWhole } from '../../../proof/support/sampled.ts'
import { memoryStorage, sqliteStorage } from '../../../proof/crash/storages.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'
import { ManualClock } from '../../../src/testing/crash/crash-environment.ts'
import type { CrashStorage } from '../../../src/testing/crash/crash-scenario.ts'
import { type CrashPoint, MortalProcess, pointsUpTo } from '../../../src/testing/crash/mortal-process.ts'
import { mortalStore } from '../../../src/testing/crash/mortal-store.ts'
import { calling } from './background-desk.ts'

/** When the work ends: while the run that started it is busy, or once that run has ended. */
type End = 'in its run' | 'after its run'
type Work = 'tool' | 'sub-agent'

interface Played {
  /** The writes of the first process. */
  readonly writes: number
  readonly performed: readonly string[]
  readonly transcript: readonly Message[]
  readonly children: number
  readonly unread: number
}

/** Lets everybody else work for a while, because each look into a store takes time from them. */
async function pause(): Promise<void> {
  for (let turns = 0; turns < 12; turns++) await new Promise((next) => setImmediate(next))
}

/** Creates the agent of one process. Its tools look into the store that outlives the processes. */
function clerkOf(store: Store, lasting: Store, { clock, end, work, performed }: Trial) {
  const isOver = async () => {
    const [first] = await lasting.list({ agent: 'clerk' })
    return first !== undefined && 'status' in first && first.status === 'done'
  }
  const perform = async (key: string) => {
    performed.push(key)
    const mayEnd = async () => end === 'in its run' || (await isOver())
    while (!(await mayEnd())) await pause()
    return 'Exported.'
  }
  const exports = tool({
    name: 'export',
    description: 'Exports.',
    input: { type: 'object' },
    effects: 'idempotent',
    execute: async (_: unknown, { idempotencyKey }) => perform(idempotencyKey),
  })
  const wait = tool({
    name: 'wait',
    description: 'Waits for a result.',
    input: { type: 'object' },
    effects: 'none',
    execute: async (_: unknown, { runId, signal }) => {
      const isThere = async () => (await lasting.inbox(runId, { kinds: ['background'] })).length > 0
      while (!signal.aborted && !(await isThere())) await pause()
      return 'Waited.'
    },
  })
  const exporter = createAgent({
    name: 'exporter',
    model: scripted([calling('e', 'export'), 'Exported.']),
    tools: [exports],
  })
  const asked = calling('x', work === 'tool' ? 'export' : 'exporter', work === 'tool' ? {} : { prompt: 'Export.' })
  const more = end === 'in its run' ? [calling('w', 'wait')] : ['Started.']
  return createAgent({
    name: 'clerk',
    store,
    clock,
    leaseMs: 30_000,
    model: scripted([asked, ...more, 'Thanks.', 'Thanks.']),
    tools: [
      wait,
      work === 'tool'
        ? { ...exports, background: true }
        : exporter.asTool({ description: 'Exports.', background: true }),
    ],
  })
}

interface Trial {
  readonly clock: ManualClock
  readonly end: End
  readonly work: Work
  readonly performed: string[]
}

/** Plays a session in one process that dies at a point, and goes on in another one until the result has been answered. */
async function play(storage: CrashStorage, trial: Trial, death?: CrashPoint): Promise<Played> {
  const { clock } = trial
  const lasting = await storage.reopen()
  const lines = async () => {
    const runs = await lasting.list({ session: 'talk' })
    return Promise.all(runs.flatMap((run) => ('id' in run && !('damaged' in run) ? [lasting.read(run.id)] : [])))
  }
  const transcriptOf = async (): Promise<readonly Message[]> => {
    const [last] = await lasting.list({ session: 'talk', limit: 1 })
    if (last === undefined || !('status' in last) || last.status !== 'done') return []
    return createAgent({ name: 'clerk', store: lasting, model: scripted(['']) })
      .session('talk')
      .messages()
  }
  const isTold = async () => {
    const told = await transcriptOf()
    const at = told.findIndex((message) => message.role === 'user' && message.background !== undefined)
    return at >= 0 && told.slice(at).some(({ role }) => role === 'assistant')
  }
  const live = async (mortal: MortalProcess) => {
    const agent = clerkOf(mortalStore(await storage.reopen(), mortal), lasting, trial)
    const worker = createWorker({ agents: [agent], pollMs: 100 })
    const chat = agent.session('talk')
    const isBegun = (await lasting.list({ session: 'talk' })).length > 0
    if (!isBegun) chat.prompt('Go.').catch(() => undefined)
    for (let looks = 0; !mortal.isDead && looks < 20_000 && !(await isTold()); looks++) {
      await pause()
      clock.advance(500)
    }
    await worker.drain({ drainMs: 0 }).catch(() => undefined)
    await agent.close().catch(() => undefined)
  }
  const first = new MortalProcess(death)
  await live(first)
  clock.advance(30_001)
  if (first.isDead) await live(new MortalProcess())
  const children = await lasting.list({ agent: `clerk/${trial.work === 'tool' ? 'export' : 'exporter'}` })
  const rows = await Promise.all((await lines()).map(({ record }) => lasting.inbox(record.id, { isOpen: true })))
  return {
    writes: first.writes,
    performed: trial.performed,
    transcript: await transcriptOf(),
    children: children.length,
    unread: rows.flat().length,
  }
}

const kinds = [
  ['memory', memoryStorage],
  ['SQLite', sqliteStorage],
] as const
const cases = kinds.flatMap(([kind, storage]) =>
  (['tool', 'sub-agent'] as const).flatMap((work) =>
    (['in its run', 'after its run'] as const).map((end) => [work, end, kind, storage] as const),
  ),
)

// The gate plays one of the four on SQLite, and the others in memory.
const chosen = cases.filter(([, , kind], at) => isWhole || (kind === 'SQLite') === (at % 4 === 1))

test.each(chosen)(
  'TC-10 TST-03 the result of a %s that ends %s arrives exactly once after a crash at any write, on %s',
  async (work, end, _, storage) => {
    const played = async (death?: CrashPoint) => {
      const clock = new ManualClock()
      const place = storage(clock)
      const { transcript, performed, children, unread, writes } = await play(
        place,
        { clock, end, work, performed: [] },
        death,
      )
      await place.dispose()
      const results = transcript.filter((message) => message.role === 'user' && message.background !== undefined)
      const receipts = transcript.filter((message) => textOf(message).includes('runs in the background'))
      const facts = {
        results: results.length,
        receipts: receipts.length,
        keys: new Set(performed).size,
        children,
        unread,
      }
      return { writes, facts }
    }
    const calm = await played()
    const once = { results: 1, receipts: 1, keys: 1, children: 1, unread: 0 }
    expect(calm.facts).toEqual(once)
    const differing = []
    for (const point of pointsUpTo(calm.writes)) {
      const { facts } = await played(point)
      if (JSON.stringify(facts) !== JSON.stringify(once)) differing.push({ point, facts })
    }
    expect(differing).toEqual([])
    expect(calm.writes).toBeGreaterThan(12)
  },
  180_000,
)
