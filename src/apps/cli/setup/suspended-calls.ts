import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type CallRecord, type LogEntry, toolCallsOf } from '../../../ports.ts'
import type { Json, Suspension } from '../../../index.ts'
import type { Session } from './session.ts'

/** One suspended call as somebody who is to decide needs to see it. */
export interface SuspendedCall extends Omit<Suspension, 'id'> {
  readonly callId: string
  readonly suspensionId: string
  /** The provider's id, which may repeat. */
  readonly toolCallId: string
  readonly toolName: string
  /** What the call runs with when it is approved. */
  readonly arguments: Json
  /** The file it would write, where the run works in a folder that is known. */
  readonly target?: WriteTarget
  /** True where the process died while the call ran: nobody knows whether it took effect. */
  readonly mayHaveRun: boolean
}

/** Returns true if an answer to the call may count for all calls like it: a rule or the tool's needs ask, and say what for. */
export function takesAlways({ reason, definition, scopes }: SuspendedCall): boolean {
  return reason === 'approval' && definition !== undefined && scopes?.includes('always') !== false
}

/** The suspended calls of a run in the model's order, read from the store alone. */
export async function suspendedCalls(
  { store, homeOf }: Pick<Session, 'store' | 'homeOf'>,
  runId: string,
): Promise<readonly SuspendedCall[]> {
  const rows = await store.calls(runId)
  const suspended = rows.map(({ record }) => record).filter(({ status }) => status === 'suspended')
  if (suspended.length === 0) return []
  const { log } = await store.read(runId)
  const home = await homeOf(runId)
  const calls = suspended.flatMap((call) => describe(call, log))
  return home === undefined ? calls : await Promise.all(calls.map((call) => withTarget(call, home.root)))
}

async function withTarget(call: SuspendedCall, root: string): Promise<SuspendedCall> {
  const target = await writeTargetOf(call.toolName, call.arguments, root)
  return target === undefined ? call : { ...call, target }
}

function describe(call: CallRecord, log: readonly LogEntry[]): readonly SuspendedCall[] {
  const { callId, toolCallId, toolName, suspension } = call
  if (suspension === undefined) return []
  const { id, ...asked } = suspension
  return [
    {
      callId,
      suspensionId: id,
      toolCallId,
      toolName,
      arguments: argumentsOf(call, log),
      ...asked,
      mayHaveRun: asked.reason === 'interrupted',
    },
  ]
}

/** The latest revision of a call's arguments: an edit's, else those of the message that made the call. */
function argumentsOf(call: CallRecord, log: readonly LogEntry[]): Json {
  if (call.editedArguments !== undefined) return call.editedArguments
  const entry = log.find(({ seq }) => seq === call.messageSeq)
  if (entry?.kind !== 'message' || entry.message.role !== 'assistant') return null
  const calls = toolCallsOf(entry.message)
  const own = calls.find(({ callId }) => callId === call.callId) ?? calls.find(({ id }) => id === call.toolCallId)
  return own?.arguments ?? null
}

/** The file a suspended write or edit is about. */
export interface WriteTarget {
  /** Absolute; links are followed. */
  readonly path: string
  /** Size of the file it replaces; null where it creates one. */
  readonly replaces: number | null
}

/** The file a call would write or edit; undefined for any other call. */
async function writeTargetOf(toolName: string, given: Json, root: string): Promise<WriteTarget | undefined> {
  if (toolName !== 'write_file' && toolName !== 'edit_file') return undefined
  if (typeof given !== 'object' || given === null || !('path' in given)) return undefined
  if (typeof given.path !== 'string' || given.path.includes('\0')) return undefined
  const path = await followLinks(resolve(root, given.path))
  const present = await stat(path).catch(() => undefined)
  return { path, replaces: present?.isFile() === true ? present.size : null }
}

/** Follows the links of the part that exists. */
async function followLinks(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  const above = dirname(path)
  return real ?? (above === path ? path : join(await followLinks(above), basename(path)))
}
