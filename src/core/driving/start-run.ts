import type { RunInput } from '../../../machines/run/run.types.ts'
import { ownEntries } from '../domain/carried.ts'
import { canonicalJson, defined, isRecord, type Json } from '../domain/text/json.ts'
import type { LogEntry } from '../domain/log.ts'
import type { InputMessage } from '../domain/message.ts'
import { StoreError } from '../domain/store-error.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { TakenLease } from '../runtime/held-lease.ts'
import type { AgentCore } from './agent-core.ts'
import { checkedId, createRun, type PlannedRun } from './create-run.ts'
import { agentDetails, type StartDetails, storedDetails } from './start-details.ts'

/** Options for storing a run; all are optional. */
export interface NewRunOptions extends StartDetails {
  /** 1 to 128 of the characters A-Z, a-z, 0-9, `_`, `-` and `.`. Default: a fresh id. */
  readonly runId?: string
  /**
   * The reaction to a taken `runId`. `refuse` (default): `StoreError` `run_exists`. `attach`: returns the existing run
   * with its details and stored rules, so that a start may be repeated; `UsageError` `other_prompt` if that run was
   * started with another prompt, `other_agent` if by another agent.
   */
  readonly ifExists?: 'refuse' | 'attach'
  /** Cancels the run, until it rests. */
  readonly signal?: AbortSignal
}

/** Options for storing a continuing run: absent options are those of the continued run, except its `quota`. */
export type PromptOptions = Omit<NewRunOptions, 'ifExists'> & Pick<StartOptions, 'drive'>

/** Options for starting a run. */
export interface StartOptions extends NewRunOptions {
  /**
   * Default true. With false the run is only stored, and its lease is free: any process that drives this agent's runs
   * may take it, by `resume` or by the run itself; `await run.result()` says that it is stored. It takes no `signal`
   * then: `run.cancel()` ends it.
   */
  readonly drive?: boolean
  /**
   * Unix milliseconds before which no worker begins a run that is only stored (`drive: false`). `resume` begins it at once.
   */
  readonly at?: number
}

/** A run that is being stored. */
export interface StartedRun {
  readonly id: string
  /** Resolves once the run is stored, with the lease it was stored under. */
  readonly stored: Promise<TakenLease | undefined>
  readonly signal?: AbortSignal
}

/** Stores a new run, or finds the one that is stored under its id. */
export function storeRun(
  core: AgentCore,
  input: RunInput,
  options: StartOptions,
  records: PlannedRun['records'] = [],
): StartedRun {
  const { runId, ifExists = 'refuse', signal, drive = true, at, history = core.history, ...details } = options
  core.openRuns.refuseIfClosed()
  if (ifExists === 'attach' && runId === undefined) throw badStart('ifExists: "attach" needs a runId to attach to.')
  checkUndriven(drive, signal)
  if (at !== undefined) checkLater(at, drive)
  const id = checkedId(runId ?? core.ids.next('run'))
  const kept = { ...input, ...storedDetails({ ...details, history }), ...agentDetails(core) }
  const planned = { id, input: kept as unknown as Json, ...defined({ at }), records }
  const created = createRun(core, planned, drive)
  const attach = (error: unknown) => attachTo(core, id, input.messages, error)
  const stored = ifExists === 'attach' ? created.catch(attach) : created
  return { id, stored, ...(signal === undefined ? {} : { signal }) }
}

/** Throws if a run that is only stored has a signal, because no driver would obey it. */
export function checkUndriven(drive: boolean | undefined, signal: AbortSignal | undefined): void {
  if (drive !== false || signal === undefined) return
  throw badStart('A run that is only stored takes no signal: use run.cancel().')
}

/** A driven run begins now. */
function checkLater(at: number, drive: boolean): void {
  if (!Number.isFinite(at)) throw badStart(`Option at is ${at}. Expected Unix milliseconds.`)
  if (drive)
    throw badStart('Option "at" is for a run that is only stored. Add drive: false, and let a worker begin the run.')
}

/** Returns if the existing run was started in the same way; throws otherwise. */
async function attachTo(
  { store, name }: AgentCore,
  id: string,
  messages: readonly InputMessage[],
  error: unknown,
): Promise<undefined> {
  if (!(error instanceof StoreError) || error.code !== 'run_exists') throw error
  const { record, input, log } = await store.read(id)
  if (record.agent !== name) {
    const wish = 'Use another runId, or take that run over with load() or resume() and { adopt: true }.'
    throw new UsageError('other_agent', `Run "${id}" belongs to the agent "${record.agent}", not to "${name}". ${wish}`)
  }
  if (textOfPrompt(messages) === textOfPrompt(storedPrompt(input, ownEntries(log, input), messages.length))) return
  const wish = 'Start with another runId; to continue that run in any case, use load() or resume().'
  throw new UsageError('other_prompt', `Run "${id}" was started with another prompt. ${wish}`)
}

/** Returns the messages that a run was started with: they are in its input, and later at the start of its log. */
function storedPrompt(input: Json, log: readonly LogEntry[], count: number): readonly unknown[] {
  const kept = isRecord(input) ? input['messages'] : undefined
  if (Array.isArray(kept) && kept.length > 0) return kept
  return log.flatMap((entry) => (entry.kind === 'message' ? [entry.message] : [])).slice(0, count)
}

function textOfPrompt(messages: readonly unknown[]): string {
  const timeless = messages.map((message) => (isRecord(message) ? { ...message, timestamp: 0 } : message))
  return canonicalJson(timeless as unknown as Json)
}

function badStart(message: string): UsageError {
  return new UsageError('bad_option', message)
}
