import { payloadProblem } from '../effects/tools/payload-problem.ts'
import type { CallRecord } from '../domain/call.ts'
import { type CheckedDecision, checkDecision } from '../domain/check-decision.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import { familyDecision } from '../domain/family-link.ts'
import type { InboxRow } from '../domain/inbox.ts'
import { findOpenCall } from '../domain/judge-decision.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { listening } from '../effects/ask-code.ts'
import { askOnToolResult, valueOfResult } from '../effects/plugins/ask-on-tool-value.ts'
import { textOfResult, toToolResult } from '../effects/tools/tool-result.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { CallRow, Store } from '../ports/store.ts'
import type { AgentCore } from './agent-core.ts'
import { type AboutCall, recordsFor, type RecordingStore } from './decision-records.ts'

/** The dependencies of judging decisions: the stored run, and the agent's tools. */
export interface DecidingCore extends Pick<AgentCore, 'parts' | 'clock'> {
  readonly store: DecidedStore
}

type DecidedStore = Pick<Store, 'calls' | 'inbox' | 'decide'> & RecordingStore

/**
 * Stores decisions and returns one receipt for each. If the agent's tools are known, decisions whose payload does not
 * fit their open suspension are refused here. The store judges all others in one transaction. `open` has the calls of
 * the items, if they have been read.
 */
export async function storeFittingDecisions(
  { store, parts, clock }: DecidingCore,
  runId: string,
  items: readonly unknown[],
  open?: readonly CallRow[],
): Promise<readonly DecisionReceipt[]> {
  const read = items.map(checkGiven)
  const targets = read.flatMap((item) => ('decision' in item ? item.decision.target : []))
  const now = clock.now()
  const rows = open ?? (await store.calls(runId, targets))
  const checked = read.map((item) => ('decision' in item ? askOnAnswer(parts.plugins, rows, item.decision) : item))
  const decisions = checked.flatMap((item) => ('decision' in item ? [item.decision] : []))
  let openCall = openCalls(rows, [], now)
  let refusals = await misfits(decisions, openCall, parts.tools)
  // Earlier answers and cancels close calls and open none, so they are read only if something does not fit.
  if (refusals.size > 0) {
    const answers = [
      ...(await store.inbox(runId, { kinds: ['decision'] })),
      ...(await store.inbox(runId, { isOpen: true })),
    ]
    openCall = openCalls(await store.calls(runId), answers, now)
    refusals = await misfits(decisions, openCall, parts.tools)
  }
  const clash = decisions.find((decision) => !refusals.has(decision) && contradictsMisfit(openCall, decision, refusals))
  if (clash !== undefined) {
    const wish = 'Nothing was stored: send one decision per target.'
    const message = `Two decisions contradict one another for "${clash.target}". ${wish}`
    return checked.map((item) => ({ target: targetOf(item), answer: 'refused', message }))
  }
  const sound = decisions.filter((decision) => !refusals.has(decision))
  const recorded = await recordsFor(store, parts.plugins, runId, await aboutCalls(sound, rows, openCall, parts.tools))
  const problemOfScope = (decision: Decision) => {
    const found = recorded.get(decision)
    return found !== undefined && 'problem' in found ? found.problem : undefined
  }
  const fitting = sound.filter((decision) => problemOfScope(decision) === undefined)
  const records = fitting.map((decision) => {
    const found = recorded.get(decision)
    return found !== undefined && 'record' in found ? found.record : undefined
  })
  const receipts = [...(await store.decide(runId, fitting, now, records))]
  return checked.map((item) => {
    const issues = 'decision' in item ? (refusals.get(item.decision) ?? problemOfScope(item.decision)) : item.problem
    if (issues !== undefined) return { target: targetOf(item), answer: 'refused', message: issues }
    return receipts.shift() ?? { target: targetOf(item), answer: 'unknown' }
  })
}

/** Rejects the decision ids with which a call looks at its child run again. */
function checkGiven(item: unknown): CheckedDecision {
  const checked = checkDecision(item)
  if (!('decision' in checked) || checked.decision.decisionId?.startsWith(familyDecision) !== true) return checked
  const problem = `"decisionId" begins with "${familyDecision}", as those of the engine do; leave it out.`
  return { target: checked.decision.target, problem }
}

/** Returns the calls of decisions. A tool is needed only for a decision with a scope. */
async function aboutCalls(
  decisions: readonly Decision[],
  rows: readonly CallRow[],
  openCall: OpenCall,
  tools: AgentCore['parts']['tools'],
): Promise<readonly AboutCall[]> {
  const found: AboutCall[] = []
  for (const decision of decisions) {
    const open = openCall(decision)
    const call = open ?? namedCall(rows, decision.target)
    if (call === undefined) continue
    const tool = decision.scope === undefined ? undefined : await tools.find(call.toolName)
    found.push({ decision, call, isOpen: open !== undefined, isOfService: tool?.service !== undefined })
  }
  return found
}

/** Passes the result that a person gives through the plugins. */
function askOnAnswer(plugins: readonly Plugin[], rows: readonly CallRow[], decision: Decision): CheckedDecision {
  const { target, result } = decision
  if (result === undefined || listening(plugins, 'onToolValue').length === 0) return { decision }
  const call = namedCall(rows, target)
  if (call === undefined || call.isHold === true || (decision.mode ?? call.resumeMode) !== 'use-as-result') {
    return { decision }
  }
  try {
    const taken = askOnToolResult(plugins, call, toToolResult(call.toolName, result))
    return { decision: { ...decision, result: valueOfResult(result, taken) ?? textOfResult(taken) } }
  } catch (error) {
    return { target, problem: thrownText(error) }
  }
}

function namedCall(rows: readonly CallRow[], target: string): CallRecord | undefined {
  const calls = rows.map(({ record }) => record)
  return calls.find((one) => [one.callId, one.suspension?.id, one.toolCallId].includes(target))
}

function targetOf(item: CheckedDecision): string {
  return 'decision' in item ? item.decision.target : item.target
}

type OpenCall = (decision: Decision) => CallRecord | undefined

/** Returns the call whose open suspension a new decision answers; the store judges all others. */
function openCalls(rows: readonly CallRow[], inbox: readonly InboxRow[], now: number): OpenCall {
  const calls = rows.map(({ record }) => record)
  const decisions = inbox.flatMap(({ item }) => (item.kind === 'decision' ? item.decision : []))
  const cancelled = inbox.flatMap(({ item }) => (item.kind === 'cancelCall' ? item.callId : []))
  return ({ target, decisionId }) =>
    decisions.some((stored) => stored.decisionId === decisionId)
      ? undefined
      : findOpenCall(target, { calls, decisions, cancelled, now })
}

async function misfits(
  decisions: readonly Decision[],
  openCall: OpenCall,
  tools: AgentCore['parts']['tools'],
): Promise<ReadonlyMap<Decision, string>> {
  const found = new Map<Decision, string>()
  for (const decision of decisions) {
    const call = openCall(decision)
    const issues = call === undefined ? undefined : await problemOf(decision, call, tools)
    if (issues !== undefined) found.set(decision, issues)
  }
  return found
}

/** A fitting and a misfit decision are two answers to one call. */
function contradictsMisfit(openCall: OpenCall, decision: Decision, refusals: ReadonlyMap<Decision, string>): boolean {
  const call = openCall(decision)
  return call !== undefined && [...refusals.keys()].some((other) => openCall(other) === call)
}

/** The call of a missing tool is rejected when it is to run. A decision without a payload needs no tool. */
async function problemOf(
  decision: Decision,
  call: CallRecord,
  tools: AgentCore['parts']['tools'],
): Promise<string | undefined> {
  if (decision.action !== 'resume') return undefined
  const hasPayload = decision.input !== undefined || decision.result !== undefined
  return payloadProblem(call, decision, hasPayload ? await tools.find(call.toolName) : undefined)
}
