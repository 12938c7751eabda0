import { checkValue } from '../actors/check-value.ts'
import { type CallRecord, isHold, isTerminal } from '../domain/call.ts'
import type { Decision, DecisionReceipt } from '../domain/decision.ts'
import type { AgentCore } from './agent-core.ts'

/** Stores the decisions that fit their calls; those that do not are refused and change nothing. */
export async function refuseMisfits(
  { store, parts, clock }: AgentCore,
  runId: string,
  decisions: readonly Decision[],
): Promise<readonly DecisionReceipt[]> {
  const rows = await store.calls(runId)
  const calls = rows.map(({ record }) => record)
  const refusals = new Map<Decision, string>()
  for (const decision of decisions) {
    const call = findCall(calls, decision)
    const issues = call === undefined ? undefined : await issuesOf(decision, call, parts.tools)
    if (issues !== undefined) refusals.set(decision, issues)
  }
  const clash = decisions.find((decision) => !refusals.has(decision) && contradictsMisfit(calls, decision, refusals))
  if (clash !== undefined) {
    const wish = 'Nothing was stored: send one decision a target.'
    const message = `Two decisions contradict one another for "${clash.target}". ${wish}`
    return decisions.map((decision: Partial<Decision> | null) => ({
      target: decision?.target ?? '',
      answer: 'refused',
      message,
    }))
  }
  const fitting = decisions.filter((decision) => !refusals.has(decision))
  const receipts = [...(await store.decide(runId, fitting, clock.now()))]
  return decisions.map((decision) => {
    const issues = refusals.get(decision)
    if (issues !== undefined) return { target: decision.target, answer: 'refused', message: issues }
    return receipts.shift() ?? { target: decision.target, answer: 'unknown' }
  })
}

/** One that fits and one that does not are two answers to one call. */
function contradictsMisfit(
  calls: readonly CallRecord[],
  decision: Decision,
  refusals: ReadonlyMap<Decision, string>,
): boolean {
  const call = findCall(calls, decision)
  return call !== undefined && [...refusals.keys()].some((other) => findCall(calls, other) === call)
}

/** By call id, suspension id, or the provider's id while one unsettled call has it; shapes are the store's to judge. */
function findCall(calls: readonly CallRecord[], decision: unknown): CallRecord | undefined {
  if (typeof decision !== 'object' || decision === null || !('target' in decision)) return undefined
  const { target } = decision
  const named = calls.find(({ callId, suspension }) => callId === target || suspension?.id === target)
  if (named !== undefined) return named
  const [only, ...others] = calls.filter(({ toolCallId, status }) => toolCallId === target && !isTerminal(status))
  return others.length === 0 ? only : undefined
}

async function issuesOf(
  { action, mode, input, result }: Decision,
  call: CallRecord,
  tools: AgentCore['parts']['tools'],
): Promise<string | undefined> {
  const tool = tools.get(call.toolName)
  if (isHold(call) || tool === undefined || action !== 'resume') return undefined
  switch (mode ?? call.resumeMode) {
    case 'replay':
      return input === undefined ? undefined : described('input', await checkValue(tool.input, input))
    case 'use-as-result':
      if (result === undefined) return `Call "${call.callId}" asks for a result. Give one with "respond".`
      return tool.output === undefined ? undefined : described('result', await checkValue(tool.output, result))
    case 'pass-to-tool':
      if (result === undefined) return `Call "${call.callId}" asks for a result to pass on. Give one with "respond".`
      return described('result', await checkValue(tool.input, result))
  }
}

function described(field: string, checked: { readonly issues?: string | undefined }): string | undefined {
  return checked.issues === undefined ? undefined : `The ${field} does not fit:\n${checked.issues}`
}
