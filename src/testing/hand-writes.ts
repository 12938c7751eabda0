import type { Write } from '../domain/log.ts'
import { noUsage } from '../domain/usage.ts'
import { resultMessage } from '../domain/call-result.ts'
import type { Ledger } from '../runtime/ledger.ts'
import type { Configuration, Move, OpenOffer } from './exploration-types.ts'
import { callsOfTurn, holdPlan, outputOf, type OutcomeScene } from './move-outcomes.ts'

type Completion = Extract<Move, { type: 'complete' }>

/** What the hand of an effect would write in the log with an abstract outcome. */
export function writesOf(move: Completion, offer: OpenOffer, scene: OutcomeScene, ledger: Ledger): readonly Write[] {
  const { owner, src, outcome } = move
  if (src === 'callModel')
    return ['calls', 'text'].includes(outcome) ? answerWrites(offer, outcome, scene.configuration) : []
  if (outcome === 'held') return [reserve(holdPlan(scene).callId)]
  if (!['gateCall', 'gateReplay', 'runTool'].includes(src)) return []
  if (outcome === 'suspended') return suspensionWrites(offer, outcome, scene)
  const hasResult = src === 'runTool' || outcome.startsWith('answered')
  if (!hasResult) return []
  const isBad = outcome === 'failed' || outcome === 'answeredBadly'
  const result = resultMessage(ledger.requireCall(owner), outcome, isBad ? 'error' : 'success', 1)
  const patch = outcome === 'patched' ? { patch: [{ path: ['total'], value: owner }] } : {}
  return [{ kind: 'call', callId: owner, patch: { result, ...patch } }]
}

function suspensionWrites(offer: OpenOffer, outcome: string, scene: OutcomeScene): readonly Write[] {
  const output = outputOf(offer, outcome, scene) as { suspension?: unknown; verdict?: { suspension: unknown } }
  const suspension = output.suspension ?? output.verdict?.suspension
  return [{ kind: 'call', callId: offer.owner, patch: { suspension } as never }]
}

function answerWrites({ input }: OpenOffer, outcome: string, configuration: Configuration): readonly Write[] {
  const { turn } = input as { turn: number }
  const calls = outcome === 'calls' ? callsOfTurn(configuration, turn) : []
  const content = calls.map(
    ({ callId }) => ({ type: 'toolCall', id: callId, callId, name: 'tool', arguments: {} }) as const,
  )
  const message = {
    role: 'assistant',
    content,
    stopReason: calls.length === 0 ? 'stop' : 'toolUse',
    model: 'abstract',
    provider: 'abstract',
    usage: noUsage,
    timestamp: 1,
  } as const
  return [{ kind: 'append', message }, ...calls.map(({ callId }) => reserve(callId))]
}

function reserve(callId: string): Write {
  return { kind: 'reserve', call: { callId, toolCallId: callId, toolName: 'tool', revision: 0, resumeMode: 'replay' } }
}
