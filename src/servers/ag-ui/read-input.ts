import { isRecord, type Json } from '../../core/domain/text/json.ts'
import type { Decision, PromptMessage } from '../../index.ts'
import { blockRefusal } from '../../core/domain/media.ts'
import { readBlock } from '../../core/domain/read-block.ts'
import type { ShownContent, SuspendedCall } from '../../ports.ts'
import { clearAnswer } from '../chat/clear-answer.ts'
import { asksFor, targetOf } from '../chat/suspension-kind.ts'
import { HttpError } from '../http/http-error.ts'

/** The client's answer: to an interrupt by its id, or to a call of its own tool by the call's id. */
export type ClientAnswer =
  | { readonly kind: 'interrupt'; readonly target: string; readonly isResolved: boolean; readonly payload: unknown }
  | { readonly kind: 'output'; readonly target: string; readonly output: string }

/** The fields of an AG-UI request that the server reads. */
export interface AgUiInput {
  readonly threadId: string
  readonly runId: string
  /** The user's message, if it is the last message. */
  readonly said: { readonly id: string; readonly content: PromptMessage['content'] } | undefined
  readonly answers: readonly ClientAnswer[]
}

/** Reads a `RunAgentInput`. Throws an `HttpError` for an invalid one. */
export function readInput(body: unknown): AgUiInput {
  if (!isRecord(body)) throw badInput('is not an object')
  const { threadId, runId, messages, resume } = body
  if (typeof threadId !== 'string' || typeof runId !== 'string') throw badInput('has no threadId or no runId')
  if (!Array.isArray(messages) || !messages.every(isRecord)) throw badInput('has no list of messages')
  if (resume !== undefined && !Array.isArray(resume)) throw badInput('has a resume that is not a list')
  const last = messages.at(-1)
  const id = last?.['id']
  const said =
    last?.['role'] === 'user' && typeof id === 'string' ? { id, content: contentIn(last['content']) } : undefined
  return { threadId, runId, said, answers: [...(resume ?? []).map(interruptIn), ...outputsIn(messages)] }
}

function interruptIn(entry: unknown): ClientAnswer {
  const { interruptId: target, status, payload } = isRecord(entry) ? entry : {}
  if (typeof target === 'string' && (status === 'resolved' || status === 'cancelled')) {
    return { kind: 'interrupt', target, isResolved: status === 'resolved', payload }
  }
  throw badInput('has an entry in resume without interruptId or status')
}

/** The results of the client's own tools are at the end. */
function outputsIn(messages: readonly Readonly<Record<string, unknown>>[]): readonly ClientAnswer[] {
  const first = messages.findLastIndex(({ role }) => role !== 'tool') + 1
  return messages
    .slice(first)
    .flatMap(({ toolCallId: target, content: output }): readonly ClientAnswer[] =>
      typeof target === 'string' && typeof output === 'string' ? [{ kind: 'output', target, output }] : [],
    )
}

function contentIn(content: unknown): PromptMessage['content'] {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw badInput('has a last message without content')
  return content.map(partIn)
}

function partIn(part: unknown): ShownContent {
  const { type, text, source, metadata } = isRecord(part) ? part : {}
  if (type === 'text' && typeof text === 'string') return { type, text }
  const { type: place, value: data, mimeType } = isRecord(source) ? source : {}
  const { filename } = isRecord(metadata) ? metadata : {}
  const given = {
    type: type === 'image' ? type : 'file',
    data: place === 'data' ? data : undefined,
    mimeType,
    filename,
  }
  const { block, problem } = readBlock(given)
  if (block !== undefined) return block
  const wish = 'Expected texts, and images and files with their data; addresses are not fetched.'
  throw new HttpError(400, 'file_refused', `${blockRefusal(given, problem)} ${wish}`)
}

/** Returns true if an answer belongs to this suspended call. */
export function answers(answer: ClientAnswer, call: SuspendedCall): boolean {
  if (answer.kind === 'interrupt') return answer.target === call.suspension?.id
  return answer.target === call.callId && asksFor(call) === 'value'
}

/** Returns an answer to a suspended call as a decision. Throws an `HttpError` for a payload that is neither yes nor no. */
export function decisionOf(answer: ClientAnswer, call: SuspendedCall): Decision {
  const target = targetOf(call)
  if (answer.kind === 'output') return valueFor(call, target, answer.output)
  const { isResolved, payload } = answer
  if (!isResolved) return { target, action: 'cancel', ...reasonIn(payload) }
  if (asksFor(call) === 'value') return valueFor(call, target, (payload ?? null) as Json)
  const { approved, arguments: given, scope, reason } = isRecord(payload) ? payload : { approved: payload }
  // Only other arguments are a yes; together with an unclear word they are none.
  const isBare = isRecord(payload) && !Object.hasOwn(payload, 'approved') && given !== undefined
  const wish = 'Expected { approved: true }, { approved: false, reason } or { arguments } with other arguments.'
  const decision = clearAnswer({ target, approved: isBare || approved, scope, reason, wish })
  return decision.action === 'resume' && given !== undefined ? { ...decision, input: given as Json } : decision
}

function valueFor({ resumeMode }: SuspendedCall, target: string, result: Json): Decision {
  const mode = resumeMode === 'pass-to-tool' ? 'pass-to-tool' : 'use-as-result'
  return { target, action: 'resume', mode, result }
}

function reasonIn(payload: unknown): { readonly reason?: string } {
  const reason = isRecord(payload) ? payload['reason'] : undefined
  return typeof reason === 'string' && reason !== '' ? { reason: reason.slice(0, 10_000) } : {}
}

function badInput(what: string): HttpError {
  const wish = 'Expected what HttpAgent of AG-UI sends: { threadId, runId, messages, resume? }.'
  return new HttpError(400, 'bad_input', `The body ${what}. ${wish}`)
}
