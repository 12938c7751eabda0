import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type CallRecord, type LogEntry, toolCallsOf } from '../../../ports.ts'
import type { Json, JsonObject, Suspension } from '../../../index.ts'
import type { Session } from './session.ts'

/** A suspended call with the data that a person needs for a decision. */
export interface SuspendedCall extends Omit<Suspension, 'id'> {
  readonly callId: string
  readonly suspensionId: string
  /** The provider's id, which may repeat. */
  readonly toolCallId: string
  readonly toolName: string
  /** The arguments with which the call runs after an approval. */
  readonly arguments: Json
  /** The file that the call would write, if the run's folder is known. */
  readonly target?: WriteTarget
  /** True if the process died while the call ran, so that nobody knows whether it took effect. */
  readonly mayHaveRun: boolean
}

/** Returns true if an answer may apply to all similar calls: a rule or the tool's needs ask, and allow that scope. */
export function takesAlways({ reason, definition, scopes }: SuspendedCall): boolean {
  return reason === 'approval' && definition !== undefined && scopes?.includes('always') !== false
}

/** Returns the suspended calls of a run and of its sub-agents, in the model's order, from the store alone. */
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
  const asking = await Promise.all(calls.map((call) => askedBelow({ store, homeOf }, call)))
  return home === undefined
    ? asking.flat()
    : await Promise.all(asking.flat().map((call) => withTarget(call, home.root)))
}

/** Returns the calls of the sub-agent that a call waits for, by their addresses, or the call itself. */
async function askedBelow(
  session: Pick<Session, 'store' | 'homeOf'>,
  call: SuspendedCall,
): Promise<readonly SuspendedCall[]> {
  const { reason, parameters } = call
  const child = reason === 'subAgent' && isObject(parameters) ? parameters['childRunId'] : undefined
  if (typeof child !== 'string') return [call]
  const below = await suspendedCalls(session, child)
  const at = (id: string) => (id.includes('/') ? id : `${child}/${id}`)
  return below.map((one) => ({ ...one, callId: at(one.callId), suspensionId: at(one.suspensionId) }))
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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

/** Returns the current arguments of a call: the edited ones, or else those in the message of the call. */
function argumentsOf(call: CallRecord, log: readonly LogEntry[]): Json {
  if (call.editedArguments !== undefined) return call.editedArguments
  const entry = log.find(({ seq }) => seq === call.messageSeq)
  if (entry?.kind !== 'message' || entry.message.role !== 'assistant') return null
  const calls = toolCallsOf(entry.message)
  const own = calls.find(({ callId }) => callId === call.callId) ?? calls.find(({ id }) => id === call.toolCallId)
  return own?.arguments ?? null
}

/** The file that a suspended write or edit changes. */
export interface WriteTarget {
  /** Absolute path, with resolved links. */
  readonly path: string
  /** The size of the replaced file in bytes; null for a new file. */
  readonly replaces: number | null
}

/** Returns the file that a call would write or edit, or undefined for any other call. */
async function writeTargetOf(toolName: string, given: Json, root: string): Promise<WriteTarget | undefined> {
  if (toolName !== 'write_file' && toolName !== 'edit_file') return undefined
  if (typeof given !== 'object' || given === null || !('path' in given)) return undefined
  if (typeof given.path !== 'string' || given.path.includes('\0')) return undefined
  const path = await followLinks(resolve(root, given.path))
  const present = await stat(path).catch(() => undefined)
  return { path, replaces: present?.isFile() === true ? present.size : null }
}

/** Resolves the links in the existing part of a path. */
async function followLinks(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  const above = dirname(path)
  return real ?? (above === path ? path : join(await followLinks(above), basename(path)))
}
