import { carriedIn } from '../domain/carried.ts'
import type { LogEntry } from '../domain/log.ts'
import { isFailure } from '../domain/message.ts'
import type { StoredSession } from '../domain/session-state.ts'
import { ifStored } from '../domain/store-error.ts'
import { messagesIn, type TranscriptMessage } from '../domain/transcript-message.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { runAtCheckpoint } from '../driving/checkpoint-log.ts'
import { type EndedRun, type ReadRun, readOriginal, readUpTo } from '../driving/read-original.ts'
import type { CheckpointPlace } from './session.ts'

/**
 * Returns the complete run that a prompt continues, or undefined. Throws a `UsageError` for a run of another session.
 */
export async function readAfter(
  core: AgentCore,
  session: StoredSession,
  { after, ended }: { readonly after: string | undefined; readonly ended: EndedRun | undefined },
): Promise<ReadRun | undefined> {
  const runId = after ?? session.lastRun
  if (runId === undefined) return undefined
  const read = await readOriginal(core, runId, ended)
  if (after === undefined || read.record.session === session.id) return read
  const wish = `Leave "after" out to continue the last one, or list its runs: agent.runs({ session: "${session.id}" }).`
  throw new UsageError('other_session', `Run "${after}" does not belong to session "${session.id}". ${wish}`)
}

/** Returns the transcript up to the message that is answered again. */
export async function readToAnswer(
  core: AgentCore,
  session: StoredSession,
  from: CheckpointPlace | undefined,
): Promise<ReadRun> {
  const found = await readAt(core, session, from)
  if (found.open.length > 0) throw callsOpen(session.id, found.read.record.id, found.open)
  if (found.isCheckpoint) return found.read
  const asked = messagesIn(found.read.log).findLast(({ role }) => role === 'user')
  return readUpTo(found.read, asked?.place ?? 0)
}

/** Returns the transcript before a message that another one replaces. */
export async function readToReplace(
  core: AgentCore,
  session: StoredSession,
  from: CheckpointPlace | undefined,
): Promise<ReadRun> {
  const { read } = await readAt(core, session, from)
  const messages = messagesIn(read.log)
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const carried = carriedIn(read.input)
  const isOwn = (messages[last]?.place ?? 0) > carried
  let first = last
  while (isSaidWith(messages[first - 1], isOwn ? carried : 0)) first--
  return readUpTo(read, (messages[first]?.place ?? 1) - 1)
}

/** Returns true for a message that was sent with the next one. */
function isSaidWith(message: TranscriptMessage | undefined, behind: number): boolean {
  return (
    message !== undefined && message.role !== 'assistant' && message.role !== 'toolResult' && message.place > behind
  )
}

/** Reads a run up to a checkpoint, or the whole run if the last run has none. */
async function readAt(core: AgentCore, session: StoredSession, from: CheckpointPlace | undefined): Promise<ReadPlace> {
  const place = from ?? (await beforeAnswers(core, session))
  if (typeof place !== 'string') return readCheckpoint(core, session, place)
  return { read: await readOriginal(core, place), isCheckpoint: false, open: [] }
}

interface ReadPlace {
  readonly read: ReadRun
  readonly isCheckpoint: boolean
  /** The tools of the calls that were open there. */
  readonly open: readonly string[]
}

/** Returns the checkpoint before the first model call of the last run; the run itself if it never called a model. */
async function beforeAnswers({ store }: AgentCore, session: StoredSession): Promise<CheckpointPlace | string> {
  const runId = session.lastRun
  if (runId === undefined) throw nothingToAnswer(session.id, 'has no messages')
  const first = (await store.checkpoints(runId)).find(({ names }) => names.includes('UserMessage'))
  return first === undefined ? runId : { runId, version: first.version }
}

/** Reads a checkpoint; with open calls, up to before their answer. */
async function readCheckpoint(
  { store }: AgentCore,
  session: StoredSession,
  { runId, version }: CheckpointPlace,
): Promise<ReadPlace> {
  const source = await ifStored(store.checkpoint(runId, version))
  const isOwn = source?.record.session === session.id
  const found = isOwn ? await ifStored(runAtCheckpoint(store, source, version)) : undefined
  if (source === undefined || found === undefined) throw badCheckpoint(session.id, runId, version)
  const { record, input } = source
  const { log, lastSettled: lastSeq, isOpen } = found
  const calls = log.flatMap((entry) => (entry.kind === 'call' && isOpen(entry.call.callId) ? entry.call.toolName : []))
  return { read: readUpTo({ record, input, log, lastSeq }, lastSeq), isCheckpoint: true, open: calls }
}

/** Throws a `UsageError` if the transcript has no message for a model to answer. */
export function refuseAnswered(sessionId: string, log: readonly LogEntry[]): void {
  const last = messagesIn(log).findLast(
    (message) => message.role !== 'extension' && !(message.role === 'assistant' && isFailure(message)),
  )
  if (last === undefined) throw nothingToAnswer(sessionId, 'has no messages')
  if (last.role === 'assistant') throw nothingToAnswer(sessionId, "ends with the model's message")
}

function nothingToAnswer(sessionId: string, why: string): UsageError {
  const wish = 'Use prompt(), or answer an earlier message again with rerun({ from }).'
  return new UsageError('nothing_to_answer', `The transcript of session "${sessionId}" ${why}. ${wish}`)
}

function callsOpen(sessionId: string, runId: string, open: readonly string[]): UsageError {
  const names = [...new Set(open)].slice(0, 5).map((name) => `"${name}"`)
  const found = `At this checkpoint of run "${runId}" of session "${sessionId}" calls of ${names.join(', ')} were open.`
  const wish =
    'Expected a checkpoint before their answer or after their results. agent.fork() continues the calls themselves, in a run outside the session.'
  return new UsageError('bad_checkpoint', `${found} ${wish}`)
}

function badCheckpoint(sessionId: string, runId: string, version: number): UsageError {
  const wish = 'Expected { runId, version } of a checkpoint as history() of a run of the session lists it.'
  const found = `Run "${runId}" of session "${sessionId}" has no checkpoint ${version}, or does not belong to that session.`
  return new UsageError('bad_checkpoint', `${found} ${wish}`)
}
