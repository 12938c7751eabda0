import { isDeepStrictEqual } from 'node:util'
import { createAgent } from '../../core/agent/create-agent.ts'
import type { Agent } from '../../core/agent/agent.ts'
import type { Run } from '../../core/agent/run.ts'
import type { Message } from '../../core/domain/message.ts'
import type { CheckpointName } from '../../core/domain/outcome.ts'
import { ifStored } from '../../core/domain/store-error.ts'
import type { Store, StoredRun } from '../../core/ports/store.ts'
import { CommittedLog, messagesOf } from './committed-log.ts'
import { MortalProcess } from './mortal-process.ts'
import type { CrashScenario } from './crash-scenario.ts'
import { type EnvironmentState, TrialEnvironment } from './crash-environment.ts'
import { Interleaver } from './interleaving.ts'

const runId = 'original'

/** The run that a scenario's run is forked from or continues. */
export interface CrashOriginal {
  readonly runId: string
  /** The checkpoint to fork from; absent for a continuation. */
  readonly version?: number
  readonly messages: readonly Message[]
  /** The stored state of the original before the trial. */
  readonly stored: unknown
}

/** Drives a run to its first rest in a process that does not die; its outside effects are not counted. */
export async function driveOriginal(
  { build, prompt = 'Go.', forkedFrom, before = [], userId }: CrashScenario,
  store: Store,
  { clock, ids }: EnvironmentState,
): Promise<CrashOriginal> {
  const interleaver = new Interleaver({ order: [], effectAt: 'end' })
  const environment = new TrialEnvironment(
    { clock, ids, effects: [], saying: [] },
    new MortalProcess(),
    interleaver,
    new CommittedLog(runId),
  )
  let run = createAgent({ ...build(environment), store, clock, ids }).start(prompt, {
    runId,
    ...(userId === undefined ? {} : { userId }),
  })
  environment.enter(run)
  let { status } = await run.settled()
  for (const [index, text] of before.entries()) {
    run = await run.prompt(text, { runId: `${runId}-${index + 2}` })
    environment.enter(run)
    status = (await run.settled()).status
  }
  const last = run.id
  const messages = messagesOf((await store.read(last)).log)
  const stored = await storedOf(store, last)
  if (forkedFrom !== undefined) return { runId: last, version: await checkpointOf(run, forkedFrom), messages, stored }
  if (status === 'done') return { runId: last, messages, stored }
  throw new Error(`The run to go on from is ${status} when it first rests. Expected one that is done.`)
}

async function checkpointOf(run: Run, name: CheckpointName): Promise<number> {
  const history = await run.history()
  const checkpoint = history.find(({ names }) => names.includes(name))
  if (checkpoint !== undefined) return checkpoint.version
  const found = history.flatMap(({ names }) => names).join(', ')
  throw new Error(`The run to be forked has no checkpoint "${name}" when it first rests. It has: ${found}.`)
}

/** Forks or continues the original. */
export async function beginFrom(
  { version, ...original }: CrashOriginal,
  agent: Agent,
  id: string,
  prompt: string,
): Promise<Run> {
  if (version !== undefined) return agent.fork(original.runId, { from: version, runId: id })
  return (await agent.load(original.runId)).prompt(prompt, { runId: id })
}

/** Returns a description of the missing part of a run's beginning, or undefined if it is complete. */
export function missingFrom({ version, messages }: CrashOriginal, begun: StoredRun): string | undefined {
  if (version !== undefined)
    return begun.checkpoint === null ? 'The fork is stored without the checkpoint it goes on from.' : undefined
  const carried = messagesOf(begun.log).slice(0, messages.length)
  return isDeepStrictEqual(carried, messages) ? undefined : 'The run is stored without the transcript it goes on from.'
}

/** Returns true if the stored original is unchanged. */
export async function isAsItWas({ runId: id, stored }: CrashOriginal, store: Store): Promise<boolean> {
  const found = await ifStored(storedOf(store, id))
  return found !== undefined && isDeepStrictEqual(found, stored)
}

function storedOf(store: Store, id: string): Promise<unknown> {
  return Promise.all([
    store.read(id),
    store.calls(id),
    store.checkpoints(id),
    store.inbox(id, { isOpen: true }),
    store.inbox(id, { kinds: ['decision'] }),
  ])
}
