import type { CallRecord } from './call.ts'
import { type DecisionScope, decisionScopes } from './decision-scope.ts'
import { canonicalJson, type Json } from './text/json.ts'
import { sha256 } from './text/platform.ts'
import type { RunDetails } from './run-details.ts'

/** A stored permission or refusal for future calls. */
export interface Grant {
  readonly id: string
  /** The name of the agent whose runs it applies to; for scope `family`, of the agent that asked. */
  readonly agent: string
  /** The agent whose rule asked. Default: `agent`. */
  readonly asker?: string
  /**
   * The grantee: `user:` and the run's `userId`, `access:` and a hash of its `accessControl`, `run:` and its id, or `family:`
   * and the id of the family's root.
   */
  readonly grantee: string
  readonly scope: DecisionScope
  /** `allow` lets calls run without an approval, and `deny` refuses them. */
  readonly says: 'allow' | 'deny'
  readonly toolName: string
  /** The rule that asked; absent if the grant answers the needs of the tool. */
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

/** A grant before it is stored: the decision determines the time, and the run the agent unless it is given. */
export type NewGrant = Omit<Grant, 'agent' | 'at'> & Partial<Pick<Grant, 'agent'>>

/** One question about a call, from a rule of an agent or, without a rule, from the tool's needs. */
export interface AskedBy {
  readonly asker: string
  readonly rule?: string | undefined
}

/** The questions about a call that grants may answer. */
export interface GrantQuestion {
  readonly callHash: string
  readonly definition: string
  readonly asking: readonly AskedBy[]
  /** True if the effect of the call is unclear, so that only a grant for exactly these arguments applies. */
  readonly isUnclear?: boolean
}

/** The grants that answer all questions about a call, or the first open question. */
export type Granted = { readonly by: readonly Grant[] } | { readonly open: AskedBy | undefined }

/**
 * Returns the answer of the grants for the call's run and tool. One denial refuses the call, and each question needs a
 * permission. A grant that the call uses up is tried last; it answers all questions.
 */
export function grantsFor(grants: readonly Grant[], question: GrantQuestion): Granted {
  const { callHash, definition, asking, isUnclear = false } = question
  const fitting = grants.filter((grant) => grant.definition === definition)
  const lasting = isUnclear ? [] : fitting.filter(({ scope }) => scope !== 'once')
  const answers = (grant: Grant, { asker, rule }: AskedBy) =>
    (grant.asker ?? grant.agent) === asker && grant.rule === rule
  const denial = lasting.find((grant) => grant.says === 'deny' && asking.some((asked) => answers(grant, asked)))
  if (denial !== undefined) return { by: [denial] }
  const found = asking.map((asked) => lasting.find((grant) => answers(grant, asked)))
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

/** Returns the grantee of all runs of a family. */
export function granteeOfFamily(root: string): string {
  return `family:${root}`
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

/** Returns the scopes of an answer to a suspended call, narrowest first. */
export function offeredScopes(
  call: Pick<CallRecord, 'isHold' | 'suspension' | 'resumeMode'>,
): readonly DecisionScope[] {
  if (!isGrantable(call) || call.resumeMode !== 'replay') return ['once']
  return call.suspension?.scopes ?? decisionScopes.filter((scope) => scope !== 'family')
}
