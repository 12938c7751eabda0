import type { AuditAction, DecisionRecord } from '../domain/audit-entry.ts'
import { argumentsOf, type CallRecord } from '../domain/call.ts'
import { type Decision, goesBeyond } from '../domain/decision.ts'
import {
  granteeOfFamily,
  granteeOfRun,
  grantIdOf,
  hashOfCall,
  isGrantable,
  lastingGrantee,
  type NewGrant,
} from '../domain/grant.ts'
import { rootIdOf } from '../domain/family-link.ts'
import { defined, type Json } from '../domain/text/json.ts'
import { detailsIn, type RunDetails } from '../domain/run-details.ts'
import { shownArguments } from '../effects/permissions/shown-arguments.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { Store } from '../ports/store.ts'

/** A store that records decisions, or plain XState's, which records nothing. */
export type RecordingStore = Partial<Pick<Store, 'change' | 'entries' | 'input' | 'read'>>

/** A decision, with the call that it is about. */
export interface AboutCall {
  readonly decision: Decision
  readonly call: CallRecord
  /** True if the decision answers an open suspension. */
  readonly isOpen: boolean
  /** True for a service's tool: its calls never start, so a grant could not be used. */
  readonly isOfService: boolean
}

/** The record of a decision, or the reason why its scope cannot be granted. */
export type Recorded = { readonly record: DecisionRecord } | { readonly problem: string }

/** Returns the records of decisions: the person, the arguments, and the grants beyond their calls. */
export async function recordsFor(
  store: RecordingStore,
  plugins: readonly Plugin[],
  runId: string,
  decided: readonly AboutCall[],
): Promise<ReadonlyMap<Decision, Recorded>> {
  if (store.change === undefined || decided.length === 0) return withoutStore(decided)
  const argumentsFor = await storedArguments(store, runId, decided)
  const isScoped = decided.some(({ decision }) => decision.scope !== undefined)
  const input = isScoped ? await inputOf(store, runId) : null
  const [details, familyRoot] = [detailsIn(runId, input), rootIdOf(runId, input)]
  return new Map(
    decided.map((about): [Decision, Recorded] => {
      const given = about.decision.input ?? argumentsFor(about.call)
      const problem = goesBeyond(about.decision) && about.isOpen ? scopeProblem(about, details) : undefined
      if (problem !== undefined) return [about.decision, { problem }]
      const grant = grantOf(about, given, details, familyRoot)
      const entry = entryOf(about, given, runId, plugins)
      return [about.decision, { record: { entry, ...(grant === undefined ? {} : { grant }) } }]
    }),
  )
}

function withoutStore(decided: readonly AboutCall[]): ReadonlyMap<Decision, Recorded> {
  const problem =
    'The store of this run keeps no grants, so a decision cannot go beyond its call. Leave "scope" out, or use a store that keeps them, such as sqliteStore(path).'
  return new Map(decided.flatMap(({ decision }) => (goesBeyond(decision) ? [[decision, { problem }]] : [])))
}

async function inputOf(store: RecordingStore, runId: string): Promise<Json> {
  return (await store.input?.(runId)) ?? (await store.read?.(runId))?.input ?? null
}

/** Reads the arguments of calls from the answers that requested them. */
async function storedArguments(
  store: RecordingStore,
  runId: string,
  decided: readonly AboutCall[],
): Promise<(call: CallRecord) => Json> {
  const wanted = decided.flatMap(({ call }) => (call.isHold === true ? [] : call.messageSeq))
  const seqs = [...new Set(wanted)]
  const found = await Promise.all(seqs.map((seq) => store.entries?.(runId, seq - 1, 1) ?? Promise.resolve([])))
  const entries = found.flat()
  const message = (seq: number) => {
    const entry = entries.find((one) => one.seq === seq)
    return entry?.kind === 'message' ? entry.message : undefined
  }
  return (call) => (call.isHold === true ? (call.suspension?.parameters ?? {}) : argumentsOf(call, { message }))
}

function scopeProblem({ decision, call, isOfService }: AboutCall, details: RunDetails): string | undefined {
  const scope = `"scope" is "${decision.scope ?? ''}"`
  if (decision.action === 'resume' && modeOf(decision, call) !== 'replay') {
    return `${scope}, and a value applies only to its call. Leave "scope" out, or approve, edit or deny the call.`
  }
  if (!isGrantable(call)) {
    const why = `call "${call.callId}" waits for another reason (${call.suspension?.reason ?? 'none'})`
    return `${scope}, which answers what a permission rule or a tool's needs ask; ${why}. Leave "scope" out.`
  }
  if (isOfService) {
    return `${scope}, and "${call.toolName}" is a service: each call that leaves is decided by itself. Leave "scope" out; a permission rule that allows or denies counts for all of them.`
  }
  if (call.suspension?.scopes?.every((one) => one !== decision.scope) === true) {
    return `${scope}, and nobody can tell from its arguments what call "${call.callId}" runs, so an answer applies only to this call. Leave "scope" out, or decide with scope "once".`
  }
  if (decision.scope !== 'always' || lastingGrantee(details) !== undefined) return undefined
  const wish = 'Start runs with { userId }, or decide with scope "run".'
  return `${scope}, and run "${details.id}" has neither "userId" nor "accessControl". ${wish}`
}

function modeOf({ mode }: Decision, { resumeMode }: CallRecord) {
  return mode ?? resumeMode
}

function grantOf(about: AboutCall, given: Json, details: RunDetails, familyRoot: string): NewGrant | undefined {
  const { decision, call, isOpen, isOfService } = about
  const { scope, action, by } = decision
  const { suspension, toolName, callId } = call
  if (scope === undefined || suspension?.definition === undefined || !isOpen || isOfService || !isGrantable(call))
    return undefined
  if (action === 'resume' ? modeOf(decision, call) !== 'replay' : scope === 'once') return undefined
  const ofRun = granteeOfRun(details.id)
  const { rule, asker, definition } = suspension
  const isForFamily = scope === 'family'
  // A grant for a family applies to all its agents, so that it is found by the agent that asked.
  const named = isForFamily ? { agent: asker } : { asker }
  return {
    id: grantIdOf(details.id, suspension.id),
    ...defined(named),
    grantee: isForFamily ? granteeOfFamily(familyRoot) : scope === 'run' ? ofRun : (lastingGrantee(details) ?? ofRun),
    scope,
    says: action === 'resume' ? 'allow' : 'deny',
    toolName,
    ...(rule === undefined ? {} : { rule }),
    definition,
    ...(scope === 'once' ? { callHash: hashOfCall(toolName, given) } : {}),
    runId: details.id,
    callId,
    ...(by === undefined ? {} : { by }),
  }
}

function entryOf({ decision, call }: AboutCall, given: Json, runId: string, plugins: readonly Plugin[]) {
  const { by, scope, reason } = decision
  const rule = call.suspension?.rule
  return {
    action: actionOf(decision),
    ...(by === undefined ? {} : { by }),
    runId,
    callId: call.callId,
    toolName: call.toolName,
    ...shownArguments(plugins, call, given),
    ...defined({ scope, rule, reason }),
  }
}

function actionOf({ action, input, result }: Decision): AuditAction {
  if (action === 'cancel') return 'denied'
  if (input !== undefined) return 'edited'
  return result === undefined ? 'approved' : 'answered'
}
