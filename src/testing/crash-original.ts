import { isDeepStrictEqual } from 'node:util'
import { createAgent } from '../agent/create-agent.ts'
import type { CheckpointName } from '../domain/outcome.ts'
import type { Store } from '../ports/store.ts'
import { CrashLife } from './crash-life.ts'
import type { CrashScenario } from './crash-scenario.ts'
import { CrashWorld, type WorldState } from './crash-world.ts'
import { Turnstile } from './turnstile.ts'

const runId = 'original'

/** The run that a scenario's run is forked from. */
export interface CrashOriginal {
  readonly runId: string
  /** The checkpoint to fork from. */
  readonly version: number
  /** Everything stored of it before it was forked. */
  readonly stored: unknown
}

/** Drives a run to its first rest in a process that does not die; what it does outside is not counted. */
export async function driveOriginal(
  { build, prompt = 'Go.' }: CrashScenario,
  from: CheckpointName,
  store: Store,
  { clock, ids }: WorldState,
): Promise<CrashOriginal> {
  const turnstile = new Turnstile({ order: [], effectAt: 'end' })
  const world = new CrashWorld({ clock, ids, effects: [] }, new CrashLife(undefined), turnstile)
  const run = createAgent({ ...build(world), store, clock, ids }).start(prompt, { runId })
  world.enter(run)
  await run.settled()
  const history = await run.history()
  const checkpoint = history.find(({ names }) => names.includes(from))
  if (checkpoint === undefined) {
    const found = history.flatMap(({ names }) => names).join(', ')
    throw new Error(`The run to be forked has no checkpoint "${from}" when it first rests. It has: ${found}.`)
  }
  return { runId, version: checkpoint.version, stored: await storedOf(store) }
}

/** True where the original is stored as it was before it was forked. */
export async function isAsItWas({ stored }: CrashOriginal, store: Store): Promise<boolean> {
  return isDeepStrictEqual(await storedOf(store), stored)
}

function storedOf(store: Store): Promise<unknown> {
  return Promise.all([
    store.read(runId),
    store.calls(runId),
    store.checkpoints(runId),
    store.inbox(runId, 0),
    store.decisions(runId),
  ])
}
