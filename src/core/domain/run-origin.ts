import type { Continuation, TurnTrigger } from './continuation.ts'
import type { AgentEvent } from './event.ts'
import { isRecord, type Json, textsIn } from './text/json.ts'

/** The origin of a run, as `run.started` names it. */
export type RunOrigin = Omit<
  Extract<AgentEvent, { readonly type: 'run.started' }>,
  'type' | 'runId' | 'at' | 'seq' | 'configuration'
>

/** Returns a run's origin from its stored input; a fork continues its original, and not the original's parent. */
export function originOf(runId: string, agent: string, input: Json, forkedFrom?: RunOrigin['forkedFrom']): RunOrigin {
  const stored = isRecord(input) ? input : {}
  const { subject, continuation, metadata, labels } = stored
  const { agentId, session, configId, parentRunId, parallelGroup } = stored
  const read = continuationIn(continuation)
  return {
    subject: typeof subject === 'string' ? subject : runId,
    agent,
    ...textsIn({ agentId, session, configId, parentRunId, parallelGroup }),
    ...(read === undefined ? {} : { continuation: read }),
    metadata: { ...(isRecord(metadata) ? metadata : {}), ...textsIn(labels) },
    ...(forkedFrom && { parentRunId: forkedFrom.runId, continuation: { kind: 'default' }, forkedFrom }),
  }
}

/** Returns the cause of a turn, by its number from 1. A branch overrides other continuations, and these a parent. */
export function triggerOf(turn: number, { continuation, parentRunId }: RunOrigin): TurnTrigger {
  if (turn > 1) return 'continuation'
  if (continuation !== undefined) return continuation.kind === 'branch' ? 'branch' : 'continuation'
  return parentRunId === undefined ? 'user' : 'subAgent'
}

function continuationIn(value: unknown): Continuation | undefined {
  if (!isRecord(value)) return undefined
  const { kind, tag } = value
  if (kind === 'default') return { kind }
  return (kind === 'rerun' || kind === 'branch') && typeof tag === 'string' ? { kind, tag } : undefined
}
