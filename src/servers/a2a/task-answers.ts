import type { Message, Part } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { z } from 'zod'
import { isRecord } from '../../core/domain/text/json.ts'
import type { Decision } from '../../index.ts'
import { decisionScopes, type SuspendedCall } from '../../ports.ts'
import { asksFor, targetOf } from '../chat/suspension-kind.ts'
import { typedValue } from '../chat/typed-value.ts'
import { askable } from './task-of.ts'

/** The decisions in a client's message, and its other parts. */
export interface TaskAnswers {
  readonly decisions: readonly Decision[]
  readonly rest: readonly Part[]
}

// A field that nobody reads may say no, such as `approved: false`: it is refused.
const answerShape = z.strictObject({
  callId: z.string().optional(),
  suspensionId: z.string().optional(),
  action: z.enum(['resume', 'cancel']),
  result: z.json().optional(),
  input: z.json().optional(),
  reason: z.string().max(10_000).optional(),
  scope: z.enum(decisionScopes).optional(),
})

type Answer = z.infer<typeof answerShape>

/** Returns true for a part that answers a call. */
export function isAnswer({ content }: Part): boolean {
  return content?.$case === 'data' && isRecord(content.value) && 'action' in content.value
}

/**
 * Reads a client's message as decisions about the calls that a task waits for. A message without a data part `{ callId,
 * action }` answers the only open call by its text. Throws if the question or the answer is unclear.
 */
export function answersIn({ messageId, parts }: Message, suspended: readonly SuspendedCall[]): TaskAnswers {
  const open = askable(suspended)
  const given = parts.filter(isAnswer).map(({ content }): Answer => {
    const read = answerShape.safeParse(content?.value)
    if (read.success) return read.data
    throw unclear(z.prettifyError(read.error), open)
  })
  const answers = given.length > 0 ? given : [answerByText(parts, open)]
  const decisions = answers.map((answer): Decision => {
    const call = callOf(answer, open)
    const { callId: _, suspensionId, ...decided } = answer
    const mode = call.resumeMode === 'pass-to-tool' ? call.resumeMode : 'use-as-result'
    const how = answer.result === undefined ? {} : { mode }
    // Absent fields are left out, not undefined.
    return {
      target: targetOf(call, suspensionId),
      decisionId: `${messageId}:${call.callId}`,
      ...how,
      ...decided,
    } as Decision
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
    return { action: 'resume', result: typedValue(text, call.suspension?.responseSchema) as Answer['result'] }
  }
  const word = text.trim().toLowerCase()
  if (word === 'approve') return { action: 'resume' }
  if (word === 'deny') return { action: 'cancel' }
  throw unclear('The text is neither "approve" nor "deny".', open)
}

function callOf({ callId }: Answer, open: readonly SuspendedCall[]): SuspendedCall {
  const call = callId === undefined && open.length === 1 ? open[0] : open.find((one) => one.callId === callId)
  if (call !== undefined) return call
  throw unclear(callId === undefined ? 'An answer names no call.' : `No call "${callId.slice(0, 200)}" waits.`, open)
}

function unclear(problem: string, open: readonly SuspendedCall[]): RequestMalformedError {
  const ids = open.map(({ callId }) => callId).join(', ')
  const wish =
    'Send a data part { callId, action } with the action "resume" or "cancel", and a result if one is asked for.'
  return new RequestMalformedError(`${problem} The task waits for: ${ids}. ${wish}`)
}
