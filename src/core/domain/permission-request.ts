import type { CallRecord } from './call.ts'
import { isRecord, type Json, toPlainJson } from './text/json.ts'

/** What the hold of a run says of the permissions it waits for. */
export interface PermissionRequest {
  /** Names of the tools. */
  readonly tools: readonly string[]
  /** What the manager makes of the request. */
  readonly request: Json
}

/** True for the wait of a run for permissions. */
export function isPermissionHold({ isHold, suspension }: Pick<CallRecord, 'isHold' | 'suspension'>): boolean {
  return isHold === true && suspension?.reason === 'permission'
}

/** The request a hold stands for; of one that cannot be read no tool is known. */
export function requestIn({ suspension }: Pick<CallRecord, 'suspension'>): PermissionRequest {
  const given = suspension?.parameters
  const { tools, request = null } = isRecord(given) ? given : {}
  return { tools: nameList(tools) ?? [], request: toPlainJson(request) ?? null }
}

/** The names of an answer; all that were asked about where an approval names none, undefined where it cannot be read. */
export function grantedBy({ tools }: PermissionRequest, result: unknown): readonly string[] | undefined {
  if (result === undefined || result === null) return tools
  if (!isRecord(result) || Object.keys(result).some((field) => field !== 'granted')) return undefined
  const names = nameList(result['granted'])
  return names?.every((name) => tools.includes(name)) === true ? [...new Set(names)] : undefined
}

/** A list of texts; undefined for anything else. */
export function nameList(given: unknown): readonly string[] | undefined {
  if (!Array.isArray(given) || given.some((name) => typeof name !== 'string')) return undefined
  return given.map(String)
}
