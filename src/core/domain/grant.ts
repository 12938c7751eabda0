import type { CallRecord } from './call.ts'
import type { DecisionScope } from './decision.ts'
import { canonicalJson, type Json } from './text/json.ts'
import { sha256 } from './text/platform.ts'
import type { RunDetails } from './run-details.ts'

/** A stored permission or refusal for future calls. */
export interface Grant {
  readonly id: string
  /** The name of the agent whose runs it applies to. */
  readonly agent: string
  /** The grantee: `user:` and the run's `userId`, `access:` and a hash of its `accessControl`, or `run:` and its id. */
  readonly grantee: string
  readonly scope: DecisionScope
  /** `allow` lets calls run without an approval, and `deny` refuses them. */
  readonly says: 'allow' | 'deny'
  readonly toolName: string
  /** The rule whose question it answers; absent if it answers the tool's needs. */
  readonly rule?: string
  /** Hash of the tool's definition when the decision was made. The grant does not apply to another definition. */
  readonly definition: string
  /** For scope `once`: hash of the call's name and arguments. */
  readonly callHash?: string
  /** The run and the call of the decision. */
  readonly runId: string
  readonly callId: string
  /** The author of the decision. */
  readonly by?: string
  /** Unix milliseconds. */
  readonly at: number
}

/** A grant before it is stored: the run determines the agent, and the decision the time. */
export type NewGrant = Omit<Grant, 'agent' | 'at'>

/** The questions about a call that grants may answer. */
export interface GrantQuestion {
  readonly callHash: string
  readonly definition: string
  /** Each rule that asks, and undefined for the tool's needs. Each of them is a separate question. */
  readonly asking: readonly (string | undefined)[]
  /** True if the effect of the call is unclear, so that only a grant for exactly these arguments applies. */
  readonly isUnclear?: boolean
}

/** The grants that answer all questions about a call, or the first open question. */
export type Granted = { readonly by: readonly Grant[] } | { readonly open: string | undefined }

/**
 * Returns the answer of the grants for the call's run and tool. One denial refuses the call, and each question needs a
 * permission. A grant that the call uses up is tried last; it answers all questions.
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

/** Returns the grantees whose grants apply to a run. */
export function granteesOf(details: RunDetails): readonly string[] {
  const lasting = lastingGrantee(details)
  return [...(lasting === undefined ? [] : [lasting]), granteeOfRun(details.id)]
}

/** Returns the grantee for grants beyond a run, or undefined if the run has none. */
export function lastingGrantee({ userId, accessControl }: RunDetails): string | undefined {
  if (userId !== undefined) return `user:${userId}`
  return accessControl === undefined ? undefined : `access:${sha256(canonicalJson(accessControl)).slice(0, 32)}`
}

/** Returns the grantee of a run itself. */
export function granteeOfRun(runId: string): string {
  return `run:${runId}`
}

/** Returns the id of the grant for a suspension's answer, so that a repeated answer makes the same grant. */
export function grantIdOf(runId: string, suspensionId: string): string {
  return `grant_${sha256(canonicalJson([runId, suspensionId])).slice(0, 16)}`
}

/** Returns the hash of a call's name and arguments, independent of the order of keys. */
export function hashOfCall(toolName: string, given: Json): string {
  return sha256(canonicalJson([toolName, given])).slice(0, 32)
}

/** Returns true if a rule or the tool's needs ask about the call, so that an answer can also apply to other calls. */
export function isGrantable({ isHold, suspension }: Pick<CallRecord, 'isHold' | 'suspension'>): boolean {
  return isHold !== true && suspension?.reason === 'approval' && suspension.definition !== undefined
}
