import { setTimeout as pause } from 'node:timers/promises'
import { hasPostgres } from '../../proof/support/postgres-server.ts'
import { waitingAgent, waitingCall } from '../../proof/support/waiting-runs.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { bareLoop } from '../bare-loop.ts'
import { BareStore } from '../bare-store.ts'
import { countingAgent } from '../counting-agent.ts'
import { percentileOf } from '../median.ts'
import { BarePostgres } from '../postgres.ts'
import { startWatch } from '../stopwatch.ts'
import { runToEnd } from '../agent-turns.ts'
import { heard, workerPool } from '../worker-pool.ts'
import type { Measure, Place, Variant, Workload } from '../workload.ts'

type Kind = 'SQLite' | 'Postgres'
const stores: readonly Kind[] = hasPostgres ? ['SQLite', 'Postgres'] : ['SQLite']
const runsEach = 64
const turnsEach = 5
const answers = 15
const idleMs = 5000

/**
 * Worker processes on one store: runs a second of five turns, of which 32 are driven at once. The floor is one process that
 * keeps the same messages, each by a commit of its own, 32 runs at once.
 */
export const workers: Workload = {
  name: 'workers',
  unit: 'runs a second',
  floor:
    'one process that inserts the same messages by one prepared statement, each in a commit of its own, 32 runs at once.',
  better: 'more',
  rounds: 5,
  warmUp: { size: 32, times: 1 },
  variants: stores.flatMap((kind) =>
    [1, 2, 4].map((count): Variant => ({
      name: `${kind}, ${count}`,
      sizes: [32],
      subjects: { floor: bareRate(kind), statewright: workerRate(kind, count) },
    })),
  ),
}

/** What one durable step takes, of runs that are driven one after the other; the floor is a commit of one message. */
export const durableStep: Workload = {
  name: 'durableStep',
  unit: 'µs a commit',
  floor: 'one commit of one message by one prepared statement.',
  rounds: 9,
  warmUp: { size: 10, times: 1 },
  variants: stores.flatMap((kind) =>
    [0.5, 0.99].map((part): Variant => ({
      name: `${kind} p${part * 100}`,
      sizes: [20],
      subjects: {
        floor: async (runs, place) => percentileOf(await bareCommits(kind, runs, place), part),
        statewright: async (runs, place) => percentileOf(await commits(kind, runs, place), part),
      },
    })),
  ),
}

/** How long it takes until a worker has begun what another process has answered; the floor is the storing of the answer. */
export const answerBegun: Workload = {
  name: 'answerBegun',
  unit: 'ms',
  floor: 'the storing of the same answers, until the store has them.',
  rounds: 5,
  warmUp: { size: 5, times: 2 },
  variants: stores.map((kind): Variant => ({
    name: kind,
    sizes: [answers],
    subjects: {
      floor: async (count, place) => percentileOf((await answered(kind, count, place)).stored, 0.5),
      statewright: async (count, place) => percentileOf((await answered(kind, count, place)).begun, 0.5),
    },
  })),
}

/** Processor time of an idle worker, in hundredths of a core; the floor is one hundredth. */
export const idleWorker: Workload = {
  name: 'idleWorker',
  unit: '% of a core',
  floor: 'one hundredth of a core, a constant.',
  rounds: 3,
  variants: stores.map((kind): Variant => ({
    name: kind,
    sizes: [1],
    subjects: { floor: () => 1, statewright: (_, place) => idleShare(kind, place) },
  })),
}

function workerRate(kind: Kind, count: number): Measure {
  return async (_, place) => {
    const pool = await workerPool(kind, count, place)
    const agent = countingAgent({ turns: turnsEach, store: pool.store })
    const read = startWatch('passing')
    for (let run = 0; run < runsEach; run++) {
      await agent.start('Go.', { runId: `run-${pool.runs++}`, drive: false }).result()
    }
    while ((await pool.store.list({ status: 'running', limit: 1 })).length > 0) await pause(2)
    return runsEach / (read() / 1_000_000)
  }
}

function bareRate(kind: Kind): Measure {
  return async (atOnce, place) => {
    const { append, close } = await bareAppend(kind, place)
    let started = 0
    const playOn = async () => {
      while (started++ < runsEach) await bareRun(append, `run ${started}`)
    }
    const read = startWatch('passing')
    await Promise.all(Array.from({ length: atOnce }, playOn))
    const time = read()
    await close()
    return runsEach / (time / 1_000_000)
  }
}

type Append = (run: string, seq: number, message: object) => Promise<void> | void

async function bareAppend(kind: Kind, place: Place) {
  const mark = place.freshFile()
  if (kind === 'SQLite') {
    const store = new BareStore(mark, 'full')
    const append: Append = (run, seq, message) => store.append(run, seq, message)
    return { append, close: async () => store.close() }
  }
  const store = await BarePostgres.open()
  const append: Append = (run, seq, message) => store.append(`${process.pid} ${mark} ${run}`, seq, message)
  return { append, close: () => store.close() }
}

async function bareRun(append: Append, run: string): Promise<void> {
  let kept: Promise<void> = Promise.resolve()
  await bareLoop({
    turns: turnsEach,
    keep: (message, seq) => {
      kept = kept.then(() => append(run, seq, message))
    },
    gate: () => kept,
  })
  await kept
}

async function bareCommits(kind: Kind, runs: number, place: Place): Promise<readonly number[]> {
  const { append, close } = await bareAppend(kind, place)
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    await bareRun(async (...one) => {
      const read = startWatch('passing')
      await append(...one)
      times.push(read())
    }, `run ${run}`)
  }
  await close()
  return times
}

async function commits(kind: Kind, runs: number, place: Place): Promise<readonly number[]> {
  const { store } = await workerPool(kind, 0, place)
  const times: number[] = []
  const timed: Store = {
    ...store,
    async commit(commit) {
      const read = startWatch('passing')
      const receipt = await store.commit(commit)
      times.push(read())
      return receipt
    },
  }
  const agent = countingAgent({ turns: turnsEach, store: timed })
  for (let run = 0; run < runs; run++) await runToEnd(agent)
  return times
}

async function answered(kind: Kind, count: number, place: Place) {
  const pool = await workerPool(kind, 1, place)
  const [worker] = pool.workers
  if (worker === undefined) throw new Error('There is one worker.')
  const agent = waitingAgent(pool.store)
  const stored: number[] = []
  const begun: number[] = []
  for (let index = 0; index < count; index++) {
    const runId = `asked-${pool.runs++}`
    await agent.run('Sign.', { runId })
    // The worker has looked, and found nothing to do.
    await pause(50)
    const claimed = heard(worker, 'claimed')
    const now = () => performance.timeOrigin + performance.now()
    const from = now()
    await pool.store.decide(runId, [{ target: waitingCall, action: 'resume' }], Date.now())
    stored.push(now() - from)
    begun.push((await claimed).at - from)
    while ((await pool.store.record(runId)).status !== 'done') await pause(2)
  }
  return { stored, begun }
}

async function idleShare(kind: Kind, place: Place): Promise<number> {
  const { workers: found } = await workerPool(kind, 1, place)
  const [worker] = found
  if (worker === undefined) throw new Error('There is one worker.')
  // What it takes to begin is over.
  await pause(2000)
  const used = async () => {
    const told = heard(worker, 'used')
    worker.send('used')
    return (await told).us
  }
  const before = await used()
  await pause(idleMs)
  return (((await used()) - before) / (idleMs * 1000)) * 100
}
