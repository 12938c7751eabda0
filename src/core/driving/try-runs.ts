import { isRefusal } from '../domain/store-error.ts'
import type { RunStatus } from '../domain/outcome.ts'
import { isTerminal } from '../domain/call.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'
import type { InboxRow } from '../domain/inbox.ts'
import { lostIn } from '../domain/stored-media.ts'
import type { Store, StoredRun } from '../ports/store.ts'
import type { TriedRun } from '../runtime/load-run.ts'
import { readQueuedRows } from '../runtime/read-queued-rows.ts'
import type { AgentCore } from './agent-core.ts'
import { leftToVersion } from './agent-version.ts'

/** A run that this version of an agent could not continue. */
export interface RunProblem {
  readonly runId: string
  /** Undefined if the store cannot read the run. */
  readonly status?: RunStatus
  /**
   * `snapshot_unreadable`, `run_damaged`, `tool_missing` if a call is open of a tool the agent has not, `other_version` if
   * the run is kept for another version of the agent, `agent_unknown` if the run works for one of the agent's and the agent
   * has no such sub-agent, branch or background tool, or `file_lost` if the store has lost the bytes of a picture or a file:
   * that run goes on without it, and its model is told.
   */
  readonly code: string
  readonly message: string
}

/** The result of `checkRuns`. */
export interface RunsReport {
  /** Runs of the agent and its sub-agents that are not done. */
  readonly checked: number
  readonly problems: readonly RunProblem[]
}

/** Loads every open run of an agent and of the members below it, and names those that could not continue. */
export async function tryRuns(store: Store, cores: readonly AgentCore[]): Promise<RunsReport> {
  const problems: RunProblem[] = []
  const limit = Number.MAX_SAFE_INTEGER
  const names = cores.map(({ name }) => name)
  let checked = 0
  for (const status of ['running', 'waiting'] as const) {
    const add = (runId: string, problem: RunFault | undefined) => {
      checked++
      if (problem !== undefined) problems.push({ runId, status, ...problem })
    }
    for (const core of cores)
      for (const run of await store.list({ status, agent: core.name, limit }))
        add(run.id, 'damaged' in run ? { code: 'run_damaged', message: run.damaged } : await tried(store, core, run.id))
    for (const run of await store.list({ status, limit }))
      if ('agent' in run && run.agent.startsWith(`${names[0]}/`) && !names.includes(run.agent))
        add(run.id, { code: 'agent_unknown', message: `The agent "${run.agent}" is unknown here.` })
  }
  return { checked, problems }
}

async function tried(store: Store, core: AgentCore, runId: string): Promise<RunFault | undefined> {
  const open = await readOpenRun(store, runId)
  if (open === undefined || 'code' in open) return open
  const run = tryOpenRun(core, open)
  const tools = core.parts.tools.known
  if ('code' in run) return run
  const left = leftToVersion(open.stored.record, run.log.calls(), core)
  if (left !== undefined) return { code: 'other_version', message: left }
  const orphan = run.log
    .calls()
    .find((call) => !isTerminal(call.status) && call.isHold !== true && tools?.has(call.toolName) === false)
  if (orphan !== undefined) {
    const message = `Call "${orphan.callId}" is one of the tool "${orphan.toolName}", which the agent lacks.`
    return { code: 'tool_missing', message }
  }
  const { input, log } = open.stored
  const lost = [...lostIn(input), ...log.flatMap((entry) => lostIn(entry.kind === 'message' ? entry.message : entry))]
  if (lost.length === 0) return undefined
  return { code: 'file_lost', message: `${lost.join(' ')} Restore the store from a copy to recover them.` }
}

/** The reason why a run cannot continue. */
export type RunFault = Pick<RunProblem, 'code' | 'message'>

/** A stored run, with the rows of its inbox that its state may name. */
export interface OpenRun {
  readonly stored: StoredRun
  readonly said: readonly InboxRow[]
}

/**
 * Reads a run that is not done. Returns undefined if it has ended or has been deleted meanwhile. Rejects if the store
 * cannot be reached.
 */
export async function readOpenRun(store: Store, runId: string): Promise<OpenRun | RunFault | undefined> {
  try {
    const stored = await store.read(runId)
    return stored.record.status === 'done' ? undefined : { stored, said: await readQueuedRows(store, stored) }
  } catch (error) {
    return isRefusal(error, 'run_unknown') ? undefined : faultIn(error)
  }
}

/** Loads a run as a driver of this agent would. Performs nothing. */
export function tryOpenRun(core: AgentCore, { stored, said }: OpenRun): TriedRun | RunFault {
  try {
    return core.tryRun(stored, said)
  } catch (error) {
    return faultIn(error)
  }
}

/** Returns an error of one run as its fault, and throws any other. */
function faultIn(error: unknown): RunFault {
  const isOfRun = error instanceof SnapshotError || isRefusal(error, 'run_damaged')
  if (!isOfRun) throw error
  return { code: error.code, message: error.message }
}
