import type { Json } from '../../core/domain/text/json.ts'
import type { Write } from '../../core/domain/log.ts'
import { noUsage } from '../../core/domain/usage.ts'
import { resultMessage } from '../../core/domain/call.ts'
import type { RunLog } from '../../core/runtime/run-log.ts'
import type { Configuration, Move, OpenEffect } from './exploration-types.ts'
import { builtPrompt } from './said-payloads.ts'
import { callsOfTurn, holdPlan, isRequest, outputOf, type OutcomeSource } from './move-outcomes.ts'

type Completion = Extract<Move, { type: 'complete' }>

/** Returns the log writes that the handler of an effect would make for an abstract outcome. */
export function writesOf(
  move: Completion,
  effect: OpenEffect,
  observed: OutcomeSource,
  runLog: RunLog,
): readonly Write[] {
  const { owner, src, outcome } = move
  if (src === 'callModel')
    return ['calls', 'text', 'unfit', 'spoiled'].includes(outcome)
      ? answerWrites(effect, outcome, observed.configuration)
      : []
  if (outcome === 'replaced') return [{ kind: 'value', name: 'prompt', value: builtPrompt as unknown as Json }]
  const isAsked = src === 'askManager' && outcome === 'asked' && isRequest(effect.input)
  if (outcome === 'held' || src === 'holdRun' || isAsked) return [reserve(holdPlan(observed).callId, true)]
  if (!['gateCall', 'gateReplay', 'runTool'].includes(src)) return []
  if (outcome === 'suspended') return suspensionWrites(effect, outcome, observed)
  const hasResult = (src === 'runTool' && outcome !== 'retried') || outcome.startsWith('supplied')
  if (!hasResult) return []
  const isBad = outcome === 'failed' || outcome === 'suppliedBadly'
  const result = resultMessage(runLog.requireCall(owner), outcome, isBad ? 'error' : 'success', 1)
  const patch = outcome === 'patched' ? { patch: [{ path: ['total'], value: owner }] } : {}
  return [{ kind: 'call', callId: owner, patch: { result, ...patch } }]
}

function suspensionWrites(effect: OpenEffect, outcome: string, observed: OutcomeSource): readonly Write[] {
  const output = outputOf(effect, outcome, observed) as { suspension?: unknown; verdict?: { suspension: unknown } }
  const suspension = output.suspension ?? output.verdict?.suspension
  return [{ kind: 'call', callId: effect.owner, patch: { suspension } as never }]
}

function answerWrites({ input }: OpenEffect, outcome: string, configuration: Configuration): readonly Write[] {
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

function reserve(callId: string, isHold = false): Write {
  const head = { callId, toolCallId: callId, toolName: 'tool', revision: 0, resumeMode: 'replay' as const }
  return { kind: 'reserve', call: { ...head, ...(isHold ? { isHold } : {}) } }
}
