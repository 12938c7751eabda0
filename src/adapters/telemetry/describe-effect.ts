import type { Attributes } from '@opentelemetry/api'
import { argumentsOf, type CallRecord } from '../../core/domain/call.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import type { Message } from '../../core/domain/message.ts'
import { errorCodeOf, ModelError } from '../../core/domain/model-error.ts'
import type { ShowValue } from '../../core/domain/text/shown-value.ts'
import type { EffectName } from '../../core/effects/effect-handlers.ts'
import type { TracedAnswer, TracedAsk, TracedEffect, TracedEnd, TracedWait } from '../../core/ports/tracer.ts'
import { type Conventions, names } from './gen-ai.ts'

/** The span of an effect at its beginning. */
export interface DescribedEffect {
  readonly name: string
  readonly kind: 'client' | 'internal'
  readonly attributes: Attributes
}

/** The function that shows contents; undefined if spans contain none. */
export type ShowContent = ShowValue | undefined

/** The span of an effect at its beginning: `none` for none, `asks` if only its requests to models have spans. */
type EffectSpan = 'none' | 'asks' | ((effect: TracedEffect, show: ShowContent) => DescribedEffect | undefined)

/** The span of each effect. An effect without one does not compile. */
const spans: Readonly<Record<string, EffectSpan>> = {
  callModel: 'asks',
  summarise: 'asks',
  refreshCredentials: 'none',
  compactPrompt: 'none',
  runTool: (effect, show) => ofCall('execute_tool', effect, (call) => performed(call, effect, show)),
  ask: describePhase,
  gateReplay: (effect) => ofCall('permission', effect),
  holdRun: 'none',
  askManager: 'none',
  keepTime: 'none',
  sleep: 'none',
} satisfies Record<EffectName, EffectSpan>

function describePhase(effect: TracedEffect): DescribedEffect | undefined {
  const phase = isRecord(effect.input) ? String(effect.input['phase']) : ''
  switch (phase) {
    case 'filterInput':
      return undefined
    case 'gateCall':
      return ofCall('permission', effect)
    case 'reviewCall':
      return ofCall('review', effect)
    case 'buildContext':
      return chain('build_context')
    case 'recall':
      return chain('recall_memory')
    default:
      return chain(`phase ${phase}`)
  }
}

/** Returns the span of an effect, `asks` if only its requests to models have spans, or undefined if it has none. */
export function describeEffect(effect: TracedEffect, show: ShowContent): DescribedEffect | 'asks' | undefined {
  const span = Object.hasOwn(spans, effect.src) ? spans[effect.src] : undefined
  if (span === undefined || span === 'none') return undefined
  return span === 'asks' ? span : span(effect, show)
}

/** Returns the span of an effect's request to a model. */
export function describeAsk(
  { src, input }: Pick<TracedEffect, 'src' | 'input'>,
  { provider, model, messages }: TracedAsk,
  show: ShowContent,
): DescribedEffect {
  const content = show === undefined ? {} : { [names.inputMessages]: jsonOf(show(messages.map(shownMessage))) }
  const attributes = {
    [names.operation]: 'chat',
    [names.kind]: 'LLM',
    [names.effect]: src,
    [names.provider]: provider,
    [names.requestModel]: model,
    ...numberIn(input, 'turn', names.turn),
  }
  return { name: `chat ${model}`, kind: 'client', attributes: { ...attributes, ...content } }
}

function chain(name: string, attributes: Attributes = {}): DescribedEffect {
  return { name, kind: 'internal', attributes: { [names.kind]: 'CHAIN', ...attributes } }
}

/** Returns the span of an effect of one call; undefined if the run has no such call. */
function ofCall(
  name: string,
  { input, view }: TracedEffect,
  more: (call: CallRecord) => Attributes = () => ({}),
): DescribedEffect | undefined {
  const callId = isRecord(input) ? input['callId'] : undefined
  const call = typeof callId === 'string' ? view.call(callId) : undefined
  if (call === undefined) return undefined
  const { toolName } = call
  return chain(`${name} ${toolName}`, { [names.toolName]: toolName, [names.toolCallId]: call.callId, ...more(call) })
}

function performed(call: CallRecord, { input, view }: TracedEffect, show: ShowContent): Attributes {
  return {
    [names.operation]: 'execute_tool',
    [names.kind]: 'TOOL',
    ...numberIn(input, 'attempt', names.attempt),
    ...(show === undefined ? {} : { [names.toolArguments]: jsonOf(show(argumentsOf(call, view))) }),
  }
}

/** Returns the span of a wait on a person; undefined for a wait on a service or a sub-agent. */
export function describeWait({ call, decision }: TracedWait): DescribedEffect | undefined {
  const { callId, toolName, suspension } = call
  if (suspension === undefined || suspension.reason === 'service' || suspension.reason === 'subAgent') return undefined
  const { action, by } = decision ?? {}
  return chain(`wait ${toolName}`, {
    [names.toolName]: toolName,
    [names.toolCallId]: callId,
    [names.waitKind]: suspension.reason,
    ...(action === undefined ? { [names.errorType]: 'cancelled' } : { [names.decision]: action }),
    ...(by === undefined ? {} : { [names.decidedBy]: by.slice(0, maxNameLength) }),
  })
}

/** The number of characters of a person's name in a span. */
const maxNameLength = 200

/** The end of a span. */
export interface DescribedEnd {
  readonly attributes: Attributes
  /** A code, never a text; undefined without an error. */
  readonly error: string | undefined
}

/** Returns the additions to an effect's span at its end. */
export function describeEnd(end: TracedEnd, show: ShowContent): DescribedEnd {
  if ('isCancelled' in end) return { attributes: {}, error: 'cancelled' }
  if ('error' in end) return { attributes: {}, error: codeOf(end.error) }
  const { error, status, kind, verdict } = isRecord(end.output) ? end.output : {}
  const said = [status, kind, isRecord(verdict) ? verdict['kind'] : undefined].find((word) => typeof word === 'string')
  const results = end.results.flatMap((message): readonly object[] => ('content' in message ? message.content : []))
  const attributes = {
    ...(typeof said === 'string' ? { [names.callStatus]: said } : {}),
    ...(show === undefined || results.length === 0 ? {} : { [names.toolResult]: jsonOf(show(results)) }),
  }
  return { attributes, error: isRecord(error) ? codeOf(error) : said === 'failed' ? 'failed' : undefined }
}

/** Returns the additions to a request's span at its end. */
export function describeAnswer(end: TracedAnswer, show: ShowContent, conventions: Conventions): DescribedEnd {
  if ('isCancelled' in end) return { attributes: {}, error: 'cancelled' }
  if ('error' in end) return { attributes: {}, error: codeOf(end.error) }
  const { model, usage, stopReason, cost } = end.answer
  const attributes = {
    [names.responseModel]: model,
    [names.finishReasons]: [stopReason],
    [names.inputTokens]: usage.input + usage.cacheRead + usage.cacheWrite,
    [names.outputTokens]: usage.output,
    [names.cacheReadTokens]: usage.cacheRead,
    [conventions.cacheWriteTokens]: usage.cacheWrite,
    ...(cost === undefined ? {} : { [names.cost]: cost }),
    ...(show === undefined ? {} : { [names.outputMessages]: jsonOf(show([shownMessage(end.answer)])) }),
  }
  return { attributes, error: undefined }
}

/** Returns a message in the form of the conventions. */
function shownMessage(message: Message) {
  const { role } = message
  return { role: role === 'toolResult' ? 'tool' : role, parts: 'content' in message ? message.content : [] }
}

function numberIn(input: unknown, field: string, name: string): Attributes {
  const value = isRecord(input) ? input[field] : undefined
  return typeof value === 'number' ? { [name]: value } : {}
}

/** Returns an error's code, or the name of its class. The text is left out, because it may contain secrets. */
function codeOf(error: unknown): string {
  if (error instanceof ModelError) return errorCodeOf(error)
  const { code, kind, name } = isRecord(error) ? error : {}
  return [code, kind, name].find((word) => typeof word === 'string' && word.length < 100)?.toString() ?? 'error'
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value)
}
