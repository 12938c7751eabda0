import type { Message, Part } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { checkDecision } from '../../core/domain/check-decision.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import { isText } from '../../core/domain/text/shape.ts'
import type { Decision } from '../../index.ts'
import type { SuspendedCall } from '../../ports.ts'
import { asksFor, targetOf } from '../chat/suspension-kind.ts'
import { typedValue } from '../chat/typed-value.ts'
import { askable } from './task-of.ts'

/** The decisions in a client's message, and its other parts. */
export interface TaskAnswers {
  readonly decisions: readonly Decision[]
  readonly rest: readonly Part[]
}

/** Returns true for a part that answers a call. */
export function isAnswer({ content }: Part): boolean {
  return content?.$case === 'data' && isRecord(content.value) && 'action' in content.value
}

/** An answer as a client gives it. The check of decisions refuses other fields than these, such as `approved: false`. */
type Answer = Readonly<Record<string, unknown>>

/** The fields of a decision that the server sets. */
const ownFields = ['target', 'decisionId', 'mode', 'by', 'at']

/**
 * Reads a client's message as decisions about the calls that a task waits for. A message without a data part `{ callId,
 * action }` answers the only open call by its text. Throws if the question or the answer is unclear.
 */
export function answersIn({ messageId, parts }: Message, suspended: readonly SuspendedCall[]): TaskAnswers {
  const open = askable(suspended)
  const given = parts.filter(isAnswer).map(({ content }) => content?.value as Answer)
  const answers = given.length > 0 ? given : [answerByText(parts, open)]
  const decisions = answers.map(({ callId, suspensionId, ...decided }): Decision => {
    const call = callOf(callId, open)
    const own = ownFields.find((field) => field in decided)
    if (own !== undefined) throw unclear(`An answer has no field "${own}".`, open)
    const mode = call.resumeMode === 'pass-to-tool' ? call.resumeMode : 'use-as-result'
    const how = 'result' in decided ? { mode } : {}
    const target = targetOf(call, isText(suspensionId) ? suspensionId : JSON.stringify(suspensionId))
    const checked = checkDecision({ ...decided, ...how, target, decisionId: `${messageId}:${call.callId}` })
    if ('problem' in checked) throw unclear(checked.problem, open)
    return checked.decision
  })
  return { decisions, rest: given.length > 0 ? parts.filter((part) => !isAnswer(part)) : [] }
}

function answerByText(parts: readonly Part[], open: readonly SuspendedCall[]): Answer {
  const [call, ...others] = open
  const texts = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []))
  if (call === undefined || others.length > 0 || texts.length !== parts.length) {
    throw unclear('The message does not say which call it answers.', open)
  }
  const text = texts.join('\n')
  if (asksFor(call) === 'value') {
    return { action: 'resume', result: typedValue(text, call.suspension?.responseSchema) }
  }
  const word = text.trim().toLowerCase()
  if (word === 'approve') return { action: 'resume' }
  if (word === 'deny') return { action: 'cancel' }
  throw unclear('The text is neither "approve" nor "deny".', open)
}

function callOf(callId: unknown, open: readonly SuspendedCall[]): SuspendedCall {
  const call = callId === undefined && open.length === 1 ? open[0] : open.find((one) => one.callId === callId)
  if (call !== undefined) return call
  throw unclear(
    callId === undefined ? 'An answer names no call.' : `No call ${JSON.stringify(callId).slice(0, 200)} waits.`,
    open,
  )
}

function unclear(problem: string, open: readonly SuspendedCall[]): RequestMalformedError {
  const ids = open.map(({ callId }) => callId).join(', ')
  const wish =
    'Send a data part { callId, action } with the action "resume" or "cancel", and a result if one is asked for.'
  return new RequestMalformedError(`${problem} The task waits for: ${ids}. ${wish}`)
}
