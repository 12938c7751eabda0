import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import type { Json } from '../../index.ts'
import type { RunStanding, SuspendedCall } from '../../ports.ts'

/** The result of a tool that serves an agent. */
export type ServedResult = CallToolResult | InputRequiredResult

/** Returns the state of a run as a result: its answer, its failure, or its open questions. */
export function standingResult(standing: RunStanding): CallToolResult {
  const structuredContent = { ...standingText(standing) }
  const { outcome } = standing
  if (standing.status === 'waiting')
    return { content: [{ type: 'text', text: pendingText(standing) }], structuredContent }
  if (outcome?.reason === 'error' || outcome?.reason === 'cancelled') {
    const text =
      outcome.error?.message ?? `The run was ${outcome.reason === 'error' ? 'ended by an error' : 'cancelled'}.`
    return { content: [{ type: 'text', text }], structuredContent, isError: true }
  }
  return { content: [{ type: 'text', text: standing.text }], structuredContent }
}

/** Returns the plain facts about a run for a client, with its transcript if it was started with `history`. */
export function standingText({ runId, run, status, outcome, text, messages, suspended }: RunStanding): {
  readonly [key: string]: Json
} {
  return {
    runId,
    status,
    ...(outcome === undefined ? {} : { reason: outcome.reason }),
    text,
    pending: suspended.map(pendingCall),
    ...(run.history === true ? { history: messages as unknown as Json } : {}),
  }
}

function pendingCall({ callId, toolName, arguments: given, suspension }: SuspendedCall): Json {
  return {
    callId,
    toolName,
    arguments: given,
    reason: suspension?.reason ?? 'approval',
    ...(suspension?.message === undefined ? {} : { message: suspension.message }),
  }
}

function pendingText({ runId, suspended }: RunStanding): string {
  const lines = suspended.map(({ callId, toolName, arguments: given, suspension }) => {
    const message = suspension?.message === undefined ? '' : ` ${suspension.message}`
    return `- ${callId}: ${toolName} ${JSON.stringify(given)} (${suspension?.reason ?? 'approval'})${message}`
  })
  const wish = 'Decide with the tools "approve", "deny" or "respond".'
  return [`Run "${runId}" waits for a decision on:`, ...lines, wish].join('\n')
}

/** Returns the progress text of an event, or undefined for other events. */
export function messageOf(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null || !('type' in event)) return undefined
  const { type } = event
  if (type === 'turn.started' && 'turn' in event) return `Turn ${String(event.turn)}`
  if (type === 'toolExecution.started' && 'toolName' in event) return `Tool ${String(event.toolName)}`
  if (type === 'progress.reported' && 'text' in event) return String(event.text)
  return undefined
}
