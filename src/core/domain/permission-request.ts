import type { CallRecord } from './call.ts'
import { isRecord, type Json, toPlainJson } from './text/json.ts'

/** The permission request in a hold of a run. */
export interface PermissionRequest {
  /** Names of the tools. */
  readonly tools: readonly string[]
  /** The manager's data for the request. */
  readonly request: Json
}

/** Returns true for a run's hold for permissions. */
export function isPermissionHold({ isHold, suspension }: Pick<CallRecord, 'isHold' | 'suspension'>): boolean {
  return isHold === true && suspension?.reason === 'permission'
}

/** Returns the request of a hold; an unreadable request has no tools. */
export function requestIn({ suspension }: Pick<CallRecord, 'suspension'>): PermissionRequest {
  const given = suspension?.parameters
  const { tools, request = null } = isRecord(given) ? given : {}
  return { tools: nameList(tools) ?? [], request: toPlainJson(request) ?? null }
}

/** Returns the granted names in an answer: all requested ones if it names none; undefined if it is invalid. */
export function grantedBy({ tools }: PermissionRequest, result: unknown): readonly string[] | undefined {
  if (result === undefined || result === null) return tools
  if (!isRecord(result) || Object.keys(result).some((field) => field !== 'granted')) return undefined
  const names = nameList(result['granted'])
  return names?.every((name) => tools.includes(name)) === true ? [...new Set(names)] : undefined
}

/** Returns a list of texts, or undefined for anything else. */
export function nameList(given: unknown): readonly string[] | undefined {
  if (!Array.isArray(given) || given.some((name) => typeof name !== 'string')) return undefined
  return given.map(String)
}
