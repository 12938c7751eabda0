import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import type { ListedRun, SuspendedCall } from '../../ports.ts'
import type { Exchange } from '../http/serve.ts'
import { checkLength, factsOf, stateOf, type TaskFacts, taskOf } from './task-of.ts'

/** The number of runs that are read: those that began last. */
const mostRuns = 1_000

const mostListed = 100

/**
 * Lists the client's tasks, the most recently updated first. Only tasks with messages or artifacts are read completely.
 */
export async function listTasks(exchange: Exchange, request: ListTasksRequest): Promise<ListTasksResponse> {
  const {
    pageSize = 50,
    pageToken,
    status,
    statusTimestampAfter,
    historyLength = 0,
    includeArtifacts = false,
  } = request
  if (pageSize < 1 || pageSize > mostListed) throw refused('pageSize', `a number from 1 to ${mostListed}`)
  const since = statusTimestampAfter === undefined ? 0 : Date.parse(statusTimestampAfter)
  if (Number.isNaN(since)) throw refused('statusTimestampAfter', 'a time of ISO 8601')
  checkLength(historyLength)
  const behind = placeIn(pageToken)
  const found = (await tasksOf(exchange, request.contextId))
    .filter(({ at }) => at >= since)
    .filter((facts) => status === TaskState.TASK_STATE_UNSPECIFIED || stateOf(facts) === status)
    .toSorted(byTime)
  const left = behind === undefined ? found : found.filter((facts) => byTime(behind, facts) < 0)
  const page = left.slice(0, pageSize)
  const last = left.length > page.length ? page.at(-1) : undefined
  const tasks = page.map(async (facts): Promise<Task> => {
    const isWhole = historyLength > 0 || includeArtifacts
    const task = taskOf(
      isWhole ? await factsOf(await exchange.agent.load(facts.runId), facts.at) : facts,
      historyLength,
    )
    return includeArtifacts ? task : { ...task, artifacts: [] }
  })
  return {
    tasks: await Promise.all(tasks),
    nextPageToken: last === undefined ? '' : `${last.at}_${last.runId}`,
    pageSize: page.length,
    totalSize: found.length,
  }
}

type Place = Required<Pick<ListedFacts, 'at' | 'runId'>>

type ListedFacts = TaskFacts & { readonly at: number }

function byTime(one: Place, other: Place): number {
  return other.at - one.at || (one.runId < other.runId ? 1 : one.runId > other.runId ? -1 : 0)
}

async function tasksOf({ agent, allow }: Exchange, contextId: string): Promise<readonly ListedFacts[]> {
  const { filter } = await allow({ action: 'list' })
  const wanted = { ...filter, limit: mostRuns, session: contextId === '' ? undefined : contextId }
  const runs = await agent.runs(wanted)
  const waiting = runs.some((run) => 'status' in run && run.status === 'waiting') ? await agent.suspended(wanted) : []
  const calls = new Map(waiting.flatMap((one) => ('calls' in one ? [[one.record.id, one.calls] as const] : [])))
  return runs.flatMap((run) => ('damaged' in run ? [] : [factsIn(run, calls.get(run.id) ?? [])]))
}

function factsIn(record: ListedRun, suspended: readonly SuspendedCall[]): ListedFacts {
  const { id: runId, session: contextId = '', status, updatedAt: at, doneReason: reason, code, error } = record
  const why = { ...(code === undefined ? {} : { code }), ...(error === undefined ? {} : { error }) }
  const outcome = reason === undefined ? {} : { outcome: { reason, ...why } }
  return { runId, contextId, status, at, ...outcome, suspended, text: '', messages: [] }
}

function placeIn(token: string): Place | undefined {
  if (token === '') return undefined
  const [, time, runId = ''] = /^(\d{1,16})_(.+)$/.exec(token) ?? []
  if (time === undefined) throw refused('pageToken', 'nextPageToken of an earlier answer')
  return { at: Number(time), runId }
}

function refused(field: string, wish: string): RequestMalformedError {
  return new RequestMalformedError(`The ${field} is refused. Expected ${wish}.`)
}
