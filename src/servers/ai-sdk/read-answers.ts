import { isRecord, type Json } from '../../core/domain/text/json.ts'
import type { Decision } from '../../index.ts'
import type { SuspendedCall } from '../../ports.ts'
import { clearAnswer } from '../chat/clear-answer.ts'
import { asksFor, targetOf } from '../chat/suspension-kind.ts'
import { isAskedAs } from './held-id.ts'
import type { ChatMessage } from './read-chat.ts'

/** The client's answer to one call: yes or no to a suspension, or the result of its own tool. */
export type ClientAnswer =
  | { readonly kind: 'approval'; readonly target: string; readonly approved: unknown; readonly reason: unknown }
  | { readonly kind: 'output'; readonly target: string; readonly output: Json }
  | { readonly kind: 'failure'; readonly target: string; readonly reason: string }

/** Returns the answers in a client's last assistant message. Nothing else in the message is read. */
export function answersIn({ parts }: ChatMessage): readonly ClientAnswer[] {
  return parts.flatMap((part): readonly ClientAnswer[] => {
    const { type, state, toolCallId: target, approval, output, errorText } = part
    if (typeof type !== 'string' || !(type === 'dynamic-tool' || type.startsWith('tool-'))) return []
    if (state === 'approval-responded') return approvalIn(approval)
    if (typeof target !== 'string') return []
    if (state === 'output-available') return [{ kind: 'output', target, output: (output ?? null) as Json }]
    const reason = typeof errorText === 'string' ? errorText.slice(0, 10_000) : ''
    return state === 'output-error' ? [{ kind: 'failure', target, reason }] : []
  })
}

function approvalIn(approval: unknown): readonly ClientAnswer[] {
  if (!isRecord(approval)) return []
  const { id: target, approved, reason } = approval
  return typeof target === 'string' ? [{ kind: 'approval', target, approved, reason }] : []
}

/** Returns true if an answer belongs to this suspended call: a yes or no by the suspension, a value by the call. */
export function answers(answer: ClientAnswer, call: SuspendedCall): boolean {
  const { suspension } = call
  if (answer.kind === 'approval') return suspension !== undefined && isAskedAs(answer.target, suspension.id)
  return answer.target === call.callId && asksFor(call) === 'value'
}

/**
 * Returns an answer to a suspended call as a decision with the scope of the request. Throws an `HttpError` for an
 * answer that is neither yes nor no.
 */
export function decisionOf(answer: ClientAnswer, call: SuspendedCall, scope?: unknown): Decision {
  const target = targetOf(call)
  switch (answer.kind) {
    case 'approval': {
      const { approved, reason } = answer
      const wish = 'Expected what addToolApprovalResponse of the AI SDK sends: approved as true or false.'
      return clearAnswer({ target, approved, scope, reason, wish })
    }
    case 'output': {
      const mode = call.resumeMode === 'pass-to-tool' ? 'pass-to-tool' : 'use-as-result'
      return { target, action: 'resume', mode, result: answer.output }
    }
    case 'failure':
      return { target, action: 'cancel', ...(answer.reason === '' ? {} : { reason: answer.reason }) }
  }
}
