import type { RunInput } from '../../../machines/run/run.types.ts'
import type { JsonObject } from '../domain/text/json.ts'
import { changeSession } from '../domain/session-record.ts'
import type { SessionState, StoredSession } from '../domain/session-state.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { detailsIn } from '../domain/run-details.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { createRun } from '../driving/create-run.ts'
import { lateResults } from '../driving/late-results.ts'
import { givenDetails, type GivenDetails, type GoingOn, planRun } from '../driving/plan-run.ts'
import { checkedLabels, type RunLabels } from '../driving/run-labels.ts'
import type { TakenLease } from '../runtime/held-lease.ts'
import { configIdOf } from './config-id.ts'
import { changing, refuseWhileActive, type SessionPlace, stateOf } from './stored-session.ts'

/** A run to begin in a session. */
export interface WantedRun {
  readonly input: Pick<RunInput, 'messages' | 'value'>
  readonly given: GivenDetails
  readonly quota: number | undefined
  readonly configId: string | undefined
  /** False only stores it. */
  readonly drive: boolean
  /** Returns the run to go on from, if there is one. */
  readonly from: (session: StoredSession) => Promise<GoingOn | undefined>
}

/** A stored run, with the lease under which it was stored. */
export interface BegunRun {
  readonly id: string
  /** The agent that drives it. */
  readonly core: AgentCore
  readonly lease: TakenLease | undefined
}

/**
 * Stores a run of a session with the session's next state, in one write. Rejects while another run of the session is
 * active.
 */
export async function beginRun(place: SessionPlace, wanted: WantedRun): Promise<BegunRun> {
  const { core } = place
  const { quota, given } = wanted
  return changing(place, async (session, taken) => {
    refuseWhileActive(session)
    const found = await wanted.from(session)
    const { core: speaker, from } = await nextSpeech(core, found)
    const configId = wanted.configId ?? configIdOf(speaker)
    const state = nextState(stateOf(session), configId, taken)
    const id = idOf(state, configId)
    const facts = { session: session.id, index: session.runs, configId }
    const details = ofSession(session, from, { labels: place.begun.labels, given: given.details })
    const late = from === undefined ? [] : await lateResults(core.store, from.original)
    const messages = [...late, ...wanted.input.messages]
    const input = { ...wanted.input, messages, options: speaker.runOptions(quota) }
    const planned = planRun(speaker, { id, ...input, given: { ...given, details }, facts }, from)
    const labels = details['labels'] as JsonObject | undefined
    const kept: SessionState = {
      ...state,
      metadata: labels === undefined ? state.metadata : { ...state.metadata, ...labels },
      runs: state.runs + 1,
      lastRun: id,
      queued: [],
    }
    const records = [changeSession(kept, session.version, core.clock.now())]
    const stored = { ...planned, session: session.id, records, posted: session.queued }
    return { id, core: speaker, lease: await createRun(speaker, stored, wanted.drive) }
  })
}

/**
 * Stores the next run of a session without a prompt; a worker drives it. Stores nothing if a run of the session is
 * under way, or if `from` returns no run to continue from.
 */
export async function beginUnasked(
  core: AgentCore,
  sessionId: string,
  from: WantedRun['from'],
): Promise<{ readonly id?: string; readonly isBusy: boolean }> {
  const nothing = new Error('Nothing is to be begun.')
  try {
    const place = { core, id: sessionId, begun: { subject: undefined, labels: {}, metadata: {} } }
    const { id } = await beginRun(place, {
      input: { messages: [] },
      given: givenDetails({}),
      quota: undefined,
      configId: undefined,
      drive: false,
      from: async (session) => {
        const found = await from(session)
        if (found === undefined) throw nothing
        return found
      },
    })
    return { id, isBusy: false }
  } catch (error) {
    const isBusy = error instanceof UsageError && (error.code === 'run_busy' || error.code === 'run_waiting')
    if (error !== nothing && !isBusy) throw error
    return { isBusy }
  }
}

async function nextSpeech(core: AgentCore, found: GoingOn | undefined) {
  if (found === undefined || core.speech === undefined) return { core, from: found }
  const { core: speaker, facts } = await core.speech.after(found.original)
  return { core: speaker, from: { ...found, facts: { ...facts, ...found.facts } } }
}

/** Returns the state that counts one more run of a configuration, after the numbers that are taken. */
export function nextState(state: SessionState, configId: string, taken: number): SessionState {
  const count = (Object.hasOwn(state.counters, configId) ? (state.counters[configId] ?? 0) : 0) + 1 + taken
  return { ...state, counters: { ...state.counters, [configId]: count } }
}

/** Returns the id of the last run that a state counted. */
export function idOf({ id, counters }: SessionState, configId: string): string {
  return `${id}.${configId}.${counters[configId] ?? 0}`
}

interface RunOfSession {
  readonly labels: RunLabels
  readonly given?: JsonObject
}

/** Returns the details of a run of a session: metadata only for the first run, subject and labels for all runs. */
export function ofSession(
  { id, subject = id, metadata }: SessionState,
  from: GoingOn | undefined,
  { labels, given = {} }: RunOfSession,
): JsonObject {
  const isFirst = from === undefined && Object.keys(metadata).length > 0
  const details = { subject, ...(isFirst ? { metadata } : {}), ...given }
  if (Object.keys(labels).length === 0) return details
  const source = given['labels'] === undefined ? from?.original.input : given
  return { ...details, labels: checkedLabels({ ...detailsIn('', source ?? {}).labels, ...labels }) }
}
