import type { Message } from '../domain/message.ts'
import type { SessionState, StoredSession } from '../domain/session-state.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { createEndedRun } from '../driving/create-run.ts'
import { planRun } from '../driving/plan-run.ts'
import type { ReadRun } from '../driving/read-original.ts'
import { changeSession } from '../domain/session-record.ts'
import { type RecordChange, together } from '../domain/records/record-change.ts'
import type { RunLabels } from '../driving/run-labels.ts'
import { idOf, nextState, ofSession } from './begin-run.ts'
import { stateOf } from './stored-session.ts'

/** A transcript that a session takes over. */
export interface TakenTranscript {
  /** The origin of the session, which is part of its run's id. */
  readonly origin: 'imported' | 'rotated' | 'compacted'
  /** The session to store; `version` is the stored one. */
  readonly session: StoredSession
  /** So many of the next run ids of the session are taken. */
  readonly taken: number
  /** The labels of the run. Default: those of `original`. */
  readonly labels?: RunLabels
  /** The run whose transcript is kept by reference. */
  readonly original?: ReadRun
  /** The messages after it. */
  readonly messages: readonly Message[]
  /** Changes in the same write, such as that of the session that it continues. */
  readonly others?: readonly RecordChange<unknown>[]
}

/** Stores a transcript as a finished run without turns, from which the session's next run continues. Returns its id. */
export async function keepTranscript(
  core: AgentCore,
  { origin, session, taken, labels = {}, original, messages, others = [] }: TakenTranscript,
): Promise<string> {
  const state = nextState(stateOf(session), origin, taken)
  const id = idOf(state, origin)
  const from = original && ({ original, continuation: { kind: 'default' } } as const)
  const details = ofSession(session, from, { labels })
  const facts = { session: session.id, origin }
  const input = { options: core.runOptions(), messages: [] }
  const planned = planRun(core, { id, ...input, given: { details, history: undefined }, facts }, from)
  const lasting: SessionState = { ...state, lastRun: id }
  const change = together(changeSession(lasting, session.version, core.clock.now()), ...others)
  await createEndedRun(core, { ...planned, session: session.id, records: [change] }, messages)
  return id
}
