import type { InputRequests } from '@modelcontextprotocol/server'
import { isRecord } from '../../core/domain/text/json.ts'
import type { Decision } from '../../index.ts'
import type { SuspendedCall } from '../../ports.ts'
import { targetOf } from '../chat/suspension-kind.ts'

/** The questions to a client, with the suspension of each. */
export interface PendingQuestions {
  readonly inputRequests: InputRequests
  /** The form of each question, by call. */
  readonly forms: Readonly<Record<string, ReturnType<typeof formFor>>>
  readonly asked: Readonly<Record<string, string>>
}

/**
 * Returns the questions about the calls that a run waits for, or undefined if one of them asks for more than yes or no.
 */
export function questionsOf(suspended: readonly SuspendedCall[]): PendingQuestions | undefined {
  if (suspended.length === 0 || !suspended.every(({ suspension }) => yesOrNo.includes(suspension?.reason)))
    return undefined
  const forms = suspended.map((call) => [call.callId, formFor(call)] as const)
  const requests = forms.map(([callId, params]) => [callId, { method: 'elicitation/create', params }])
  const asked = suspended.map((call) => [call.callId, targetOf(call)])
  return {
    inputRequests: Object.fromEntries(requests),
    forms: Object.fromEntries(forms),
    asked: Object.fromEntries(asked),
  }
}

const yesOrNo: readonly unknown[] = ['approval', 'permission', 'interrupted', 'plugin']

function formFor({ toolName, arguments: given, suspension }: SuspendedCall) {
  const mayHaveRun = suspension?.reason === 'interrupted' ? ' It may have run already: yes runs it again.' : ''
  const steps = suspension?.steps === undefined ? '' : ` Done and not repeated: ${suspension.steps.join(', ')}.`
  const message = suspension?.message === undefined ? '' : ` ${suspension.message}`
  return {
    mode: 'form' as const,
    message: `May the agent call "${toolName}" with ${JSON.stringify(given)}?${mayHaveRun}${steps}${message}`,
    requestedSchema: {
      type: 'object' as const,
      properties: {
        answer: { type: 'string' as const, enum: ['approve', 'deny'] },
        reason: { type: 'string' as const, description: 'The text for the agent' },
      },
      required: ['answer'],
    },
  }
}

/**
 * Returns the decisions in a client's answers, each for the suspension that it was asked about. An answer that is
 * neither a clear yes nor a clear no decides nothing.
 */
export function decisionsOf(
  asked: Readonly<Record<string, string>>,
  responses: Readonly<Record<string, unknown>>,
): readonly Decision[] {
  return Object.entries(asked).flatMap(([callId, suspensionId]): readonly Decision[] => {
    const decided = { target: suspensionId, by: 'mcp' }
    const { action, content } = fieldsOf(Object.hasOwn(responses, callId) ? responses[callId] : undefined)
    const { answer, reason } = fieldsOf(content)
    const why = typeof reason === 'string' && reason !== '' ? { reason } : {}
    const isNo = action === 'decline' || (action === 'accept' && answer === 'deny')
    if (isNo) return [{ ...decided, action: 'cancel', ...why }]
    return action === 'accept' && answer === 'approve' ? [{ ...decided, action: 'resume', ...why }] : []
  })
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}
