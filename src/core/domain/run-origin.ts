import { isRecord, type Json, type JsonObject } from './text/json.ts'

/** The way in which a run continues another run's transcript; `tag` distinguishes several of one kind. */
export type Continuation = { readonly kind: 'default' } | { readonly kind: 'rerun' | 'branch'; readonly tag: string }

/** The cause of a turn: a user's message, a call of a parent agent, the run's earlier turns, or a branch. */
export type TurnTrigger = 'user' | 'subAgent' | 'continuation' | 'branch'

/** The origin of a run, as named in its events. */
export interface RunOrigin {
  /** The id of the conversation. Default: the run's id. */
  readonly subject: string
  /** The name of the agent that started the run. */
  readonly agent: string
  /** The agent's id; absent if it equals the name. */
  readonly agentId?: string
  readonly session?: string
  /** The id of the configuration with which the session began the run. */
  readonly configId?: string
  /** The run that delegated a part of its work to this one, or that this one continues. */
  readonly parentRunId?: string
  readonly continuation?: Continuation
  /** The checkpoint that a fork continues from. */
  readonly forkedFrom?: { readonly runId: string; readonly version: number }
  /** The id that runs started in parallel share. */
  readonly parallelGroup?: string
  /** The application's data about the run, including its labels. */
  readonly metadata: JsonObject
}

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

/** Returns the texts of a record, by name. */
export function textsIn(value: unknown): { readonly [name: string]: string } {
  if (!isRecord(value)) return {}
  const texts = Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : []))
  return Object.fromEntries(texts)
}
