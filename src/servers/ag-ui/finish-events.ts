import type { Interrupt, TokenUsage } from '@ag-ui/core'
import { scopesFor, type SuspendedCall } from '../../ports.ts'
import type { RunView } from '../../index.ts'
import { asksFor } from '../chat/suspension-kind.ts'
import type { AgUiEvent } from './part-events.ts'

/** The client's names of a run. */
export interface AgUiRun {
  readonly threadId: string
  readonly runId: string
}

/** Returns the end of an AG-UI run whose stored run waits or is done. */
export function finishEvents(view: RunView, run: AgUiRun): readonly AgUiEvent[] {
  const { status, outcome, rejection, suspended, text, runId, cost } = view
  const usage = usageOf(view)
  const why = outcome?.error?.message
  const reason = why === undefined ? {} : { reason: why }
  const metadata = { runId, cost, ...(outcome?.code === undefined ? {} : { code: outcome.code }), ...reason }
  const error = rejection?.reason ?? (outcome?.reason === 'error' ? why : undefined)
  if (error !== undefined) {
    const code = rejection === undefined ? outcome?.error?.code : 'input_rejected'
    return [{ type: 'RUN_ERROR', message: error, ...(code === undefined ? {} : { code }), usage, metadata }]
  }
  const finished = { type: 'RUN_FINISHED', ...run, usage, metadata } as const
  if (status === 'waiting') {
    return [{ ...finished, outcome: { type: 'interrupt', interrupts: suspended.map(interruptOf) } }]
  }
  if (outcome?.reason === 'cancelled') return [{ ...finished, outcome: { type: 'cancelled' } }]
  return [{ ...finished, result: text, outcome: { type: 'success' } }]
}

/** Returns the schema of an answer to a call that waits for yes or no, with a scope if several are offered. */
function approvalSchema(call: SuspendedCall) {
  const scopes = scopesFor(call)
  const scope = scopes.length > 1 ? { scope: { enum: [...scopes] } } : {}
  return {
    type: 'object',
    properties: { approved: { type: 'boolean' }, arguments: { type: 'object' }, reason: { type: 'string' }, ...scope },
  }
}

function interruptOf(call: SuspendedCall): Interrupt {
  const { callId, toolName, suspension, isHold, arguments: given } = call
  const { id = callId, reason = 'approval', message, responseSchema, expiresAt, ...rest } = suspension ?? {}
  const schema = asksFor(call) === 'approval' ? approvalSchema(call) : responseSchema
  const isDated = expiresAt !== undefined && Math.abs(expiresAt) <= 8.64e15
  return {
    id,
    reason,
    ...(message === undefined ? {} : { message }),
    ...(isHold === true ? {} : { toolCallId: callId }),
    ...(schema === undefined ? {} : { responseSchema: schema }),
    ...(isDated ? { expiresAt: new Date(expiresAt).toISOString() } : {}),
    metadata: { toolName, arguments: given, ...rest },
  }
}

/** Returns one entry per model. */
function usageOf({ messages }: RunView): TokenUsage[] {
  const sums = new Map<string, TokenUsage>()
  for (const message of messages) {
    if (message.role !== 'assistant' || message.model === '') continue
    const { provider, model, usage } = message
    const key = JSON.stringify([provider, model])
    const sum = sums.get(key)
    sums.set(key, {
      provider,
      model,
      inputTokens: (sum?.inputTokens ?? 0) + usage.input + usage.cacheRead + usage.cacheWrite,
      outputTokens: (sum?.outputTokens ?? 0) + usage.output,
      totalTokens: (sum?.totalTokens ?? 0) + usage.totalTokens,
      cachedInputTokens: (sum?.cachedInputTokens ?? 0) + usage.cacheRead,
      cacheWriteInputTokens: (sum?.cacheWriteInputTokens ?? 0) + usage.cacheWrite,
    })
  }
  return [...sums.values()]
}
