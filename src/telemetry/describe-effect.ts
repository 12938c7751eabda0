import type { Attributes } from '@opentelemetry/api'
import { argumentsOf, type CallRecord } from '../domain/call.ts'
import { isRecord } from '../domain/json.ts'
import type { AssistantMessage, Message } from '../domain/message.ts'
import type { ShowValue } from '../domain/shown-value.ts'
import type { TracedEffect, TracedEnd } from '../ports/tracer.ts'
import { names } from './gen-ai.ts'

/** A span of an effect when it begins. */
export interface DescribedEffect {
  readonly name: string
  readonly kind: 'client' | 'internal'
  readonly attributes: Attributes
}

/** What is shown of contents; undefined for nothing. */
export type ShowContent = ShowValue | undefined

/** The span of a model call, a tool, a permission, or of what the application does between them; undefined for an effect that has none. */
export function describeEffect({ src, input, view }: TracedEffect, show: ShowContent): DescribedEffect | undefined {
  if (src === 'callModel') {
    const content = show === undefined ? {} : { [names.inputMessages]: jsonOf(show(view.messages().map(shownMessage))) }
    const attributes = { [names.operation]: 'chat', [names.kind]: 'LLM', ...numberIn(input, 'turn', names.turn) }
    return { name: 'chat', kind: 'client', attributes: { ...attributes, ...content } }
  }
  const inner = nameOfWork(src, input)
  if (inner !== undefined) return { name: inner, kind: 'internal', attributes: { [names.kind]: 'CHAIN' } }
  const call = callIn({ input, view })
  if (call === undefined) return undefined
  const { callId, toolName } = call
  const head = { [names.toolName]: toolName, [names.toolCallId]: callId }
  if (src === 'gateCall' || src === 'gateReplay')
    return { name: `permission ${toolName}`, kind: 'internal', attributes: { [names.kind]: 'CHAIN', ...head } }
  if (src === 'reviewCall')
    return { name: `review ${toolName}`, kind: 'internal', attributes: { [names.kind]: 'CHAIN', ...head } }
  if (src !== 'runTool') return undefined
  const content = show === undefined ? {} : { [names.toolArguments]: jsonOf(show(argumentsOf(call, view))) }
  const attributes = {
    [names.operation]: 'execute_tool',
    [names.kind]: 'TOOL',
    ...numberIn(input, 'attempt', names.attempt),
  }
  return { name: `execute_tool ${toolName}`, kind: 'internal', attributes: { ...attributes, ...head, ...content } }
}

/** Work of the application between model and tools: the context builder, the memory, and plugins or hooks in a phase. */
function nameOfWork(src: string, input: unknown): string | undefined {
  if (src === 'buildContext') return 'build_context'
  if (src === 'recall') return 'recall_memory'
  const phase = src === 'runPhase' && isRecord(input) ? input['phase'] : undefined
  return typeof phase === 'string' ? `phase ${phase}` : undefined
}

/** How an effect came out. */
export interface DescribedEnd {
  readonly attributes: Attributes
  /** A code, never a text; undefined where nothing went wrong. */
  readonly error: string | undefined
  /** The answer of a model. */
  readonly answer: AssistantMessage | undefined
  /** True where the effect is tried again. */
  readonly isRetried: boolean
}

/** What the end of an effect adds to its span. */
export function describeEnd(end: TracedEnd, show: ShowContent): DescribedEnd {
  if ('isCancelled' in end) return { attributes: {}, error: 'cancelled', answer: undefined, isRetried: false }
  if ('error' in end) return { attributes: {}, error: codeOf(end.error), answer: undefined, isRetried: false }
  const { output, messages } = end
  const answer = messages.find((message) => message.role === 'assistant')
  const { error, retryAt, status, kind, verdict } = isRecord(output) ? output : {}
  const said = [status, kind, isRecord(verdict) ? verdict['kind'] : undefined].find((word) => typeof word === 'string')
  const results = end.results.flatMap((message): readonly object[] => ('content' in message ? message.content : []))
  const attributes = {
    ...(answer === undefined ? {} : describeAnswer(answer, show)),
    ...(answer !== undefined || typeof said !== 'string' ? {} : { [names.callStatus]: said }),
    ...(show === undefined || results.length === 0 ? {} : { [names.toolResult]: jsonOf(show(results)) }),
  }
  const problem = isRecord(error) ? codeOf(error) : said === 'failed' ? 'failed' : undefined
  return { attributes, error: problem, answer, isRetried: typeof retryAt === 'number' }
}

function describeAnswer(answer: AssistantMessage, show: ShowContent): Attributes {
  const { provider, model, usage, stopReason, cost } = answer
  return {
    [names.provider]: provider,
    [names.requestModel]: model,
    [names.responseModel]: model,
    [names.finishReasons]: [stopReason],
    [names.inputTokens]: usage.input + usage.cacheRead + usage.cacheWrite,
    [names.outputTokens]: usage.output,
    [names.cacheReadTokens]: usage.cacheRead,
    [names.cacheWriteTokens]: usage.cacheWrite,
    ...(cost === undefined ? {} : { [names.cost]: cost }),
    ...(show === undefined ? {} : { [names.outputMessages]: jsonOf(show([shownMessage(answer)])) }),
  }
}

function callIn({ input, view }: Pick<TracedEffect, 'input' | 'view'>): CallRecord | undefined {
  const callId = isRecord(input) ? input['callId'] : undefined
  return typeof callId === 'string' ? view.call(callId) : undefined
}

/** A message with the parts of the conventions. */
function shownMessage(message: Message) {
  const { role } = message
  return { role: role === 'toolResult' ? 'tool' : role, parts: 'content' in message ? message.content : [] }
}

function numberIn(input: unknown, field: string, name: string): Attributes {
  const value = isRecord(input) ? input[field] : undefined
  return typeof value === 'number' ? { [name]: value } : {}
}

/** The code of an error, or the name of its class. The text of the error is left out, because it may hold secrets. */
function codeOf(error: unknown): string {
  const { code, kind, name } = isRecord(error) ? error : {}
  return [code, kind, name].find((word) => typeof word === 'string' && word.length < 100)?.toString() ?? 'error'
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value)
}
