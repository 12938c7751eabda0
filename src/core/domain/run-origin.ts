import { isRecord, type Json, type JsonObject } from './text/json.ts'

/** How a run goes on with the transcript of another one; `tag` distinguishes several of one kind. */
export type Continuation = { readonly kind: 'default' } | { readonly kind: 'rerun' | 'branch'; readonly tag: string }

/** What caused a turn: what a user said, a call of a parent agent, what came before it in the run, or a branch. */
export type TurnTrigger = 'user' | 'subAgent' | 'continuation' | 'branch'

/** Where a run comes from: what its events name of it. */
export interface RunOrigin {
  /** Id of the conversation. Default: the run's id. */
  readonly subject: string
  /** Name of the agent that started the run. */
  readonly agent: string
  /** The agent's id; absent where it is the name. */
  readonly agentId?: string
  readonly session?: string
  /** Id of the configuration that the session began the run with. */
  readonly configId?: string
  /** The run that let this one do a part of its work, or that this one goes on from. */
  readonly parentRunId?: string
  readonly continuation?: Continuation
  /** The checkpoint that a fork goes on from. */
  readonly forkedFrom?: { readonly runId: string; readonly version: number }
  /** What the runs that were begun side by side with it have in common. */
  readonly parallelGroup?: string
  /** What the application keeps with the run, its labels among the fields. */
  readonly metadata: JsonObject
}

/** Reads where a run comes from of the input it was stored with; a fork goes on from its original, whatever that one did. */
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

/**
 * What causes a turn, by its number from 1. A branch wins over any other continuation, and a continuation wins over a
 * parent.
 */
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

/** The texts of a record, by name. */
export function textsIn(value: unknown): { readonly [name: string]: string } {
  if (!isRecord(value)) return {}
  const texts = Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : []))
  return Object.fromEntries(texts)
}
