import { type BackgroundWork, cancelledWork, type NamedWork, openReceipts, resultOfWork } from '../domain/background.ts'
import { abandonsWork, familyIn } from '../domain/family-link.ts'
import type { InboxItem } from '../domain/inbox.ts'
import type { ShownContent, UserMessage } from '../domain/message.ts'
import type { RunStatus } from '../domain/outcome.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { originOf } from '../domain/run-origin.ts'
import { defined, type Json, jsonBytes, toPlainJson } from '../domain/text/json.ts'
import { messagesIn } from '../domain/transcript-message.ts'
import type { Store } from '../ports/store.ts'
import type { ReadRun } from './read-original.ts'
import type { RunStanding } from './run-result.ts'
import { standingIn } from './stored-standing.ts'
import { ifStored } from '../domain/store-error.ts'
import { workerOf } from './worker-of.ts'

/** The maximum bytes of JSON of one result as a message, and of all results that a run begins with. */
const mostBytes = 10_000_000

/**
 * Returns the first messages of a continuing run: the results of ended background work whose receipts are in the
 * transcript, in order, and notes about cancelled work. Results beyond 10 MB wait for the next run.
 */
export async function lateResults(
  store: Store,
  { record, input, log }: Pick<ReadRun, 'record' | 'input' | 'log'>,
): Promise<readonly UserMessage[]> {
  const messages: UserMessage[] = []
  let bytes = 0
  for (const receipt of openReceipts(messagesIn(log))) {
    const work = await workOf(store, receipt)
    if (work === undefined || !(await isOfLine(store, { record, input }, work.parentRunId))) continue
    const message = await endOfWork(store, receipt, work)
    bytes += message === undefined ? 0 : jsonBytes(message)
    if (bytes > mostBytes) break
    if (message !== undefined) messages.push(message)
  }
  return messages
}

/** The run of background work. */
export interface Work {
  /** The run that does it now. */
  readonly runId: string
  readonly parentRunId: string
  /** True if the run performs the call itself. */
  readonly isOneCall: boolean
  readonly status: RunStatus
  /** True if the run was cancelled, or has to process a cancel before it may end. */
  readonly isCancelled: boolean
  /** Unix milliseconds. */
  readonly updatedAt: number
}

/** Reads the run that does background work; returns undefined if the run is gone or does not work for that call. */
export async function workOf(store: Store, { callId, childRunId }: BackgroundWork): Promise<Work | undefined> {
  const link = familyIn(await ifStored(store.input(childRunId)))
  const worker = await workerOf(store, childRunId)
  if (link?.background !== true || link.callId !== callId || worker === undefined) return undefined
  const { id: runId, status, doneReason, updatedAt } = worker
  const { parentRunId } = link
  const work = { runId, parentRunId, isOneCall: link.idempotencyKey !== undefined, status, updatedAt }
  if (status === 'done') return { ...work, isCancelled: doneReason === 'cancelled' }
  const parent = await ifStored(store.record(parentRunId))
  return parent && { ...work, isCancelled: await isBeingCancelled(store, runId, parent) }
}

/** Returns true if a cancel is stored for the run, or leaves for it with the end of its parent. */
async function isBeingCancelled(store: Store, runId: string, parent: RunRecord): Promise<boolean> {
  return (await store.inbox(runId, { isOpen: true, kinds: ['cancel'] })).length > 0 || hasAbandoned(parent)
}

/** Returns true for a run whose end has cancelled its background work. */
export function hasAbandoned({ status, doneReason: reason, code }: RunRecord): boolean {
  return status === 'done' && reason !== undefined && abandonsWork({ reason, ...defined({ code }) })
}

/** Returns the message about work that has ended or is being cancelled, or undefined while it is running. */
export async function endOfWork(
  store: Store,
  named: NamedWork,
  { runId, status, isCancelled, isOneCall, updatedAt }: Work,
): Promise<UserMessage | undefined> {
  if (isCancelled) return cancelledWork(named, updatedAt)
  if (status !== 'done') return undefined
  const standing = await standingIn(store, runId)
  const content = isOneCall ? resultOfCall(standing) : contentOf(named.toolName, standing)
  const message = resultOfWork(named, content, updatedAt)
  if (jsonBytes(message) <= mostBytes) return message
  const text = `The result is too large. Run "${named.childRunId}" has it.`
  return resultOfWork(named, [{ type: 'text', text }], updatedAt)
}

/** Returns the content of a sub-agent's answer, with a note if its run did not end well. */
export function contentOf(
  name: string,
  { outcome, text, output }: Pick<RunStanding, 'outcome' | 'text' | 'output'>,
): readonly ShownContent[] {
  const { reason = 'error', code } = outcome ?? {}
  if (isWell(reason)) return [{ type: 'text', text: output === undefined ? text : textOf(output) }]
  const ended = `[The sub-agent '${name}' ended: ${code ?? reason}.]`
  return [{ type: 'text', text: text === '' ? ended : `${ended}\n${text}` }]
}

/** Returns true for an end after which a run's answer counts. */
export function isWell(reason: string | undefined): boolean {
  return reason === 'natural_end' || reason === 'plugin_requested'
}

/** Returns the row in which a run receives a message about background work. */
export function backgroundItem(message: UserMessage): Extract<InboxItem, { readonly kind: 'background' }> {
  return { kind: 'background', childRunId: message.background?.childRunId ?? '', messages: [message] }
}

function textOf(output: unknown): string {
  return JSON.stringify(toPlainJson(output))
}

function resultOfCall({ messages }: RunStanding): readonly ShownContent[] {
  return messages.findLast((message) => message.role === 'toolResult')?.content ?? []
}

/** Returns true if a receipt belongs to this run or to one that it continues. */
export async function isOfLine(
  store: Store,
  { record, input }: Pick<ReadRun, 'record' | 'input'>,
  parentRunId: string,
): Promise<boolean> {
  let [id, found]: [string, Json] = [record.id, input]
  let { forkedFrom } = record
  while (id !== parentRunId) {
    const { continuation, parentRunId: before } = originOf(id, '', found, forkedFrom)
    if (continuation === undefined || before === undefined) return false
    const [earlier, stored] = await Promise.all([ifStored(store.input(before)), ifStored(store.record(before))])
    if (earlier === undefined || stored === undefined) return before === parentRunId
    found = earlier
    forkedFrom = stored.forkedFrom
    id = before
  }
  return true
}
