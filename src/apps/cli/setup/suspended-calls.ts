import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { RunStanding, SuspendedCall as StoredCall } from '../../../ports.ts'
import type { Json, Suspension } from '../../../index.ts'
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
  { standingOf, homeOf }: Pick<Session, 'standingOf' | 'homeOf'>,
  runId: string,
  standing?: Pick<RunStanding, 'suspended'>,
): Promise<readonly SuspendedCall[]> {
  const { suspended } = standing ?? (await standingOf(runId))
  const home = suspended.length === 0 ? undefined : await homeOf(runId)
  const calls = suspended.flatMap((call) => described(call))
  return home === undefined ? calls : await Promise.all(calls.map((call) => withTarget(call, home.root)))
}

async function withTarget(call: SuspendedCall, root: string): Promise<SuspendedCall> {
  const target = await writeTargetOf(call.toolName, call.arguments, root)
  return target === undefined ? call : { ...call, target }
}

function described({
  callId,
  toolCallId,
  toolName,
  arguments: given,
  suspension,
}: StoredCall): readonly SuspendedCall[] {
  if (suspension === undefined) return []
  const { id, ...asked } = suspension
  // A call of a sub-agent has the address of its run, by which its suspension is answered, too.
  const suspensionId = callId.slice(0, callId.lastIndexOf('/') + 1) + id
  const mayHaveRun = asked.reason === 'interrupted'
  return [{ callId, suspensionId, toolCallId, toolName, arguments: given, ...asked, mayHaveRun }]
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
