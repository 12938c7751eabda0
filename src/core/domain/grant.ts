import type { CallRecord } from './call.ts'
import type { DecisionScope } from './decision.ts'
import { canonicalJson, type Json } from './text/json.ts'
import { sha256 } from './text/platform.ts'
import type { RunDetails } from './run-details.ts'

/** What somebody has said of calls to come: a permission that is remembered, or a refusal. */
export interface Grant {
  readonly id: string
  /** Name of the agent whose runs it is for. */
  readonly agent: string
  /** For whom: `user:` and the run's `userId`, `access:` and a hash of its `accessControl`, or `run:` and its id. */
  readonly grantee: string
  readonly scope: DecisionScope
  /** Whether calls run by it without being asked about, or are refused by it. */
  readonly says: 'allow' | 'deny'
  readonly toolName: string
  /** The rule whose question it answers; absent where it answers what the tool needs. */
  readonly rule?: string
  /** Hash of the tool's definition as it was shown. For another definition the grant says nothing. */
  readonly definition: string
  /** Of scope `once`: hash of the name and the arguments that it is for. */
  readonly callHash?: string
  /** The run and the call that it was said about. */
  readonly runId: string
  readonly callId: string
  /** Who said it. */
  readonly by?: string
  /** Unix milliseconds. */
  readonly at: number
}

/** A grant before a store has it: the run says of which agent it is, and the decision when. */
export type NewGrant = Omit<Grant, 'agent' | 'at'>

/** What is asked about a call, for grants to answer. */
export interface GrantQuestion {
  readonly callHash: string
  readonly definition: string
  /** Each rule that asks, and undefined for the tool's needs: each of them is a question of its own. */
  readonly asking: readonly (string | undefined)[]
  /** True if nobody can tell what the call does: only what was said of these very arguments answers. */
  readonly isUnclear?: boolean
}

/** The grants that answer a call together, or the first question that is open. */
export type Granted = { readonly by: readonly Grant[] } | { readonly open: string | undefined }

/**
 * Finds what the grants for the call's run and tool answer. A refusal of one question refuses the call, and an allowance has
 * to be there for each. One that is used up by the call comes last; it answers all of them.
 */
export function grantsFor(grants: readonly Grant[], question: GrantQuestion): Granted {
  const { callHash, definition, asking, isUnclear = false } = question
  const fitting = grants.filter((grant) => grant.definition === definition)
  const lasting = isUnclear ? [] : fitting.filter(({ scope }) => scope !== 'once')
  const denial = lasting.find(({ says, rule }) => says === 'deny' && asking.includes(rule))
  if (denial !== undefined) return { by: [denial] }
  const found = asking.map((rule) => lasting.find((grant) => grant.rule === rule))
  const by = found.filter((grant) => grant !== undefined)
  if (by.length === asking.length) return { by }
  const once = fitting.find((grant) => grant.scope === 'once' && grant.callHash === callHash)
  return once === undefined ? { open: asking[found.indexOf(undefined)] } : { by: [once] }
}

/** The grantees whose grants count for a run. */
export function granteesOf(details: RunDetails): readonly string[] {
  const lasting = lastingGrantee(details)
  return [...(lasting === undefined ? [] : [lasting]), granteeOfRun(details.id)]
}

/** For whom what goes beyond a run is remembered; undefined where the run does not say. */
export function lastingGrantee({ userId, accessControl }: RunDetails): string | undefined {
  if (userId !== undefined) return `user:${userId}`
  return accessControl === undefined ? undefined : `access:${sha256(canonicalJson(accessControl)).slice(0, 32)}`
}

/** A run as the one for whom something is remembered. */
export function granteeOfRun(runId: string): string {
  return `run:${runId}`
}

/** The id of what an answer to a suspension grants: the same answer makes the same grant. */
export function grantIdOf(runId: string, suspensionId: string): string {
  return `grant_${sha256(canonicalJson([runId, suspensionId])).slice(0, 16)}`
}

/** Hash of a call's name and arguments, whatever the order of their keys. */
export function hashOfCall(toolName: string, given: Json): string {
  return sha256(canonicalJson([toolName, given])).slice(0, 32)
}

/** Whether a call is asked about by a rule or by its tool's needs, so that an answer can count for others too. */
export function isGrantable({ isHold, suspension }: Pick<CallRecord, 'isHold' | 'suspension'>): boolean {
  return isHold !== true && suspension?.reason === 'approval' && suspension.definition !== undefined
}
