import { statSync } from 'node:fs'
import type { Run, Session } from '../../src/index.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { askingTime, openedOnce } from '../ask-store.ts'
import { BareStore } from '../bare-store.ts'
import { countingAgent } from '../counting-agent.ts'
import { filledRuns, kilobyte } from '../filled-runs.ts'
import { timeOf } from '../stopwatch.ts'
import { logSizeOf, withLogKept } from '../wal-bytes.ts'
import type { Measure, Place, Variant, Workload } from '../workload.ts'

const promptsTimed = 9
const promptsWeighed = 25
const lastShown = 100

/**
 * Many prompts of one session's handle, each of a kilobyte and answered by a kilobyte: bytes and time of one of them, the file of all,
 * and how long the last run of a session takes to be read, in one line or as branches of branches.
 */
export const session: Workload = {
  name: 'session',
  unit: 'µs, or bytes',
  floor: 'a table (run, seq, body) WITHOUT ROWID with the same messages.',
  rounds: 5,
  warmUp: { size: 20, times: 2 },
  variants: [
    {
      name: 'bytes',
      floor: 'the write-ahead log of two prepared INSERTs of the same messages, each in a transaction of its own.',
      sizes: [2, 100],
      warmsUp: false,
      subjects: { floor: (count, place) => bareBytes(count, place), statewright: bytesOfPrompt },
    },
    {
      name: 'time',
      floor:
        'two prepared INSERTs of the same messages, each in a transaction of its own, and one read of the whole conversation.',
      sizes: [2, 100],
      warmsUp: false,
      subjects: { floor: (count, place) => bareTime(count, place), statewright: timeOfPrompt },
    },
    {
      name: 'file',
      floor: 'the bytes of the same messages as JSON.',
      sizes: [300],
      warmsUp: false,
      subjects: {
        floor: (prompts) => 2 * prompts * JSON.stringify(userMessage(kilobyte, 1e12)).length,
        statewright: sizeOfFile,
      },
    },
    reading('line', () => undefined),
    reading('nested', (seq) => Math.max(seq - 1, 0)),
    shown(
      'all messages',
      (talk) => talk.run.messages(),
      (count) => 2 * count,
    ),
    shown(
      'last messages',
      (talk) => talk.session.messages({ limit: lastShown }),
      () => lastShown,
    ),
  ],
}

/** A session whose prompts were said up to one; `say` says the next. */
async function sessionOf(store: Store, prompts: number): Promise<{ readonly say: () => Promise<void> }> {
  const talk = countingAgent({ turns: 0, store, text: kilobyte }).session('bench')
  const say = async () => {
    const run = await talk.prompt(kilobyte)
    const { outcome } = await run.settled()
    if (outcome.reason !== 'natural_end') throw new Error(`The run ended with ${JSON.stringify(outcome)}.`)
  }
  for (let said = 0; said < prompts; said++) await say()
  return { say }
}

/** What the prompts from this number on add to the write-ahead log, on average: now and then one splits pages, and pays for others. */
async function bytesOfPrompt(prompt: number, place: Place): Promise<number> {
  const path = place.freshFile()
  const store = sqliteStore(path)
  const { say } = await sessionOf(store, prompt - 1)
  let bytes = 0
  for (let count = 0; count < promptsWeighed; count++) bytes += await withLogKept(path, say)
  await store.close()
  return bytes / promptsWeighed
}

async function bareBytes(prompt: number, place: Place): Promise<number> {
  const path = place.freshFile()
  const store = new BareStore(path, 'full')
  for (let seq = 1; seq < 2 * prompt - 1; seq++) store.append('run', seq, userMessage(kilobyte, 1e12))
  store.letLogGrow()
  for (const seq of [2 * prompt - 1, 2 * prompt]) store.append('run', seq, userMessage(kilobyte, 1e12))
  const bytes = logSizeOf(path)
  store.close()
  return bytes
}

/** The prompts from this number on: the quickest of a few. */
async function timeOfPrompt(prompt: number, place: Place): Promise<number> {
  const store = sqliteStore(place.freshFile(), { synchronous: 'normal' })
  const { say } = await sessionOf(store, prompt - 1)
  const times: number[] = []
  for (let count = 0; count < promptsTimed; count++) times.push(await timeOf('processor', say))
  await store.close()
  return Math.min(...times)
}

async function bareTime(prompt: number, place: Place): Promise<number> {
  const store = new BareStore(place.freshFile(), 'normal')
  let seq = 0
  const say = () => {
    for (let count = 0; count < 2; count++) store.append('run', ++seq, userMessage(kilobyte, 1e12))
    store.read('run')
  }
  for (let said = 1; said < prompt; said++) say()
  const times: number[] = []
  for (let count = 0; count < promptsTimed; count++) times.push(await timeOf('processor', say))
  store.close()
  return Math.min(...times)
}

async function sizeOfFile(prompts: number, place: Place): Promise<number> {
  const path = place.freshFile()
  const store = sqliteStore(path, { synchronous: 'normal' })
  await sessionOf(store, prompts)
  await store.close()
  return statSync(path).size
}

/** The last run of so many is read; the floor is one run with the same messages. */
function reading(name: string, behind: (last: number) => number | undefined): Variant {
  const stores = new Map<string, Promise<Store>>()
  const timed =
    (runs: (count: number) => number, goesOn: typeof behind): Measure =>
    async (count, place) => {
      const key = `${count} ${runs(count)}`
      const known = stores.get(key) ?? filledRuns(place, { runs: runs(count), prompts: count / runs(count), goesOn })
      stores.set(key, known)
      const store = await known
      return timeOf('processor', async () => {
        const { log } = await store.read(`run ${runs(count) - 1}`)
        if (log.length < count) throw new Error(`${name}: ${log.length} entries were read.`)
      })
    }
  return {
    name,
    floor: 'the store reads one run of ours with the same messages.',
    sizes: [1000],
    subjects: { floor: timed(() => 1, behind), statewright: timed((count) => count, behind) },
  }
}

interface Talk {
  readonly session: Session
  /** The last run of the session. */
  readonly run: Run
}

/** What an application shows of a session of so many prompts, read through the public methods. */
function shown(
  name: string,
  read: (talk: Talk) => Promise<readonly unknown[]>,
  expected: (prompts: number) => number,
): Variant {
  const isAll = name === 'all messages'
  const talks = new Map<number, Promise<Talk>>()
  const openTalk = async (prompts: number, place: Place): Promise<Talk> => {
    const store = sqliteStore(place.freshFile(), { synchronous: 'normal' })
    await sessionOf(store, prompts)
    const agent = countingAgent({ turns: 0, store, text: kilobyte })
    const [last] = await agent.runs({ limit: 1 })
    return { session: agent.session('bench'), run: await agent.load(last?.id ?? '') }
  }
  return {
    name,
    floor: isAll
      ? 'one SELECT of all messages of the conversation from a table (run, seq, body), parsed.'
      : 'one SELECT of the last hundred messages from a table (run, seq, body), parsed.',
    sizes: [800],
    warmsUp: false,
    subjects: {
      floor: askingTime(
        openedOnce(async (prompts, place) => {
          const store = new BareStore(place.freshFile(), 'normal')
          for (let seq = 1; seq <= 2 * prompts; seq++) store.append('talk', seq, userMessage(kilobyte, 1e12))
          return () => (isAll ? store.read('talk') : store.last('talk', lastShown))
        }),
        1,
        expected,
      ),
      statewright: askingTime(
        async (prompts, place) => {
          const known = talks.get(prompts) ?? openTalk(prompts, place)
          talks.set(prompts, known)
          const talk = await known
          return () => read(talk)
        },
        1,
        expected,
      ),
    },
  }
}
