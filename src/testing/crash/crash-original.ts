import { isDeepStrictEqual } from 'node:util'
import { createAgent } from '../../agent/create-agent.ts'
import type { CheckpointName } from '../../domain/outcome.ts'
import type { Store } from '../../ports/store.ts'
import { CommittedLog } from './committed-log.ts'
import { MortalProcess } from './mortal-process.ts'
import type { CrashScenario } from './crash-scenario.ts'
import { type EnvironmentState, TrialEnvironment } from './crash-environment.ts'
import { Interleaver } from './interleaving.ts'

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
  { clock, ids }: EnvironmentState,
): Promise<CrashOriginal> {
  const interleaver = new Interleaver({ order: [], effectAt: 'end' })
  const environment = new TrialEnvironment(
    { clock, ids, effects: [] },
    new MortalProcess(),
    interleaver,
    new CommittedLog(runId),
  )
  const run = createAgent({ ...build(environment), store, clock, ids }).start(prompt, { runId })
  environment.enter(run)
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
