import type { PhaseVerdict } from '../../../../machines/run/run.types.ts'
import { type AssistantMessage, type ModelMessage, userMessage } from '../../domain/message.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import { defined, frozenCopy, type Json } from '../../domain/text/json.ts'
import type { RequestHead, RequestPlan } from '../../domain/request-plan.ts'
import type { EffectContext, EffectResult, RunView } from '../../ports/effect-handler.ts'
import type { Model, ModelRequest, OutputFormat, RequestLifecycle } from '../../ports/model.ts'
import type { OutputContract } from '../../ports/output-contract.ts'
import type { RequestContext } from '../../ports/plugin.ts'
import type { AgentParts } from '../agent-parts.ts'
import { isModelMessage } from '../plugins/plain-input.ts'
import { jsonSchemaOf } from '../tools/json-schema-of.ts'
import { rootedOutput } from './rooted-output.ts'
import { nameOfModel } from './order-models.ts'
import type { CallModelInput } from '../../../../machines/model-call/model-call.types.ts'
import type { ToolTable } from '../agent-tools.ts'
import { toolDefinitions } from './tool-definitions.ts'

/** Returns the system prompt: the plugins' instructions for this run, or else the agent's. */
export function instructionsOf({ instructions }: AgentParts, view: RunView): string {
  const own = view.value('instructions')
  return typeof own === 'string' ? own : instructions
}

/** Returns the plugins' plan for a model call. */
export function planOf(request: RequestHead | undefined, view: RunView): RequestPlan {
  return request === undefined ? {} : ((view.value('request') ?? {}) as RequestPlan)
}

/** The verdict of a phase with the plan itself; null for no plan, absent if the phase may not plan. */
export interface PlannedVerdict extends Omit<PhaseVerdict, 'request'> {
  readonly request?: RequestPlan | null
}

/** Stores the plan of a verdict in the log and returns a reference to it for the chart. */
export function loggedPlan({
  request,
  ...verdict
}: PlannedVerdict): EffectResult<PhaseVerdict> & { output: PhaseVerdict } {
  if (request === undefined) return { output: verdict }
  if (request === null) return { output: { ...verdict, request } }
  const { model } = request
  const head: RequestHead = { isLogged: true, ...(model === undefined ? {} : { model }) }
  const value = request as unknown as Json
  return { output: { ...verdict, request: head }, writes: [{ kind: 'value', name: 'request', value }] }
}

/** Returns the reason of a model call. */
function lifecycleOf(isCorrecting: boolean, messages: readonly ModelMessage[]): RequestLifecycle {
  if (isCorrecting) return 'output_error_feedback'
  return messages.at(-1)?.role === 'toolResult' ? 'tool_result' : 'init'
}

/** Returns the format of the answer that ends the run, for wires that support one. */
export function outputFormatOf({ schema }: OutputContract): OutputFormat {
  return { name: 'output', schema: rootedOutput(jsonSchemaOf(schema)).schema }
}

/** Returns the context of application code that is asked about an attempt. */
export function requestContext(
  model: Model,
  turn: number,
  { runId, view }: Pick<EffectContext, 'runId' | 'view'>,
  signal: AbortSignal,
): RequestContext {
  return { runId, turn, model: nameOfModel(model), state: view.state, signal }
}

/**
 * Returns a predicate for these messages if they are frozen at every depth, as those of the log are. Plugins need no
 * copies of them.
 */
export function oneOf(messages: readonly object[]): (value: object) => boolean {
  const ours = new Set(messages)
  return (value) => ours.has(value) && Object.isFrozen(value)
}

/** A request before it is sent, which cannot be cancelled yet. */
export type PlannedRequest = Omit<ModelRequest, 'signal'>

interface PlannedCall extends Pick<CallModelInput, 'isFinishing' | 'isCorrecting'> {
  readonly plan: RequestPlan
}

/** The model's answers until now. */
interface AnsweredSoFar {
  readonly answers: number
  /** The parts of a truncated answer. */
  readonly earlier: readonly AssistantMessage[]
}

const continueText = 'Continue exactly where you stopped.'
const finishText = 'You have reached your limit. Give your best final answer now, without calling tools.'

/** Returns the request of a model call: the prompt, and the agent's settings unless plugins replace them. */
export function requestFor(
  parts: AgentParts,
  tools: ToolTable,
  { isFinishing, isCorrecting = false, plan }: PlannedCall,
  { messages: prompt, seen: counts }: Required<Pick<ModelRequest, 'messages' | 'seen'>>,
  { answers, earlier }: AnsweredSoFar,
  view: RunView,
): PlannedRequest {
  const messages = [...prompt]
  for (const part of earlier) messages.push(part, userMessage(continueText, part.timestamp))
  if (isFinishing) messages.push(userMessage(finishText, messages.at(-1)?.timestamp ?? 0))
  const seen = messages.length === counts.length ? counts : messages.map((_, place) => counts[place] ?? 0)
  const { maxTokens = parts.maxTokens, temperature = parts.temperature, thinking = parts.thinking } = plan
  const { toolChoice, requiredCall }: RequestPlan = isFinishing ? { toolChoice: 'none' } : plan
  return {
    system: instructionsOf(parts, view),
    messages,
    seen,
    answers: answers + earlier.length,
    tools: toolDefinitions(tools),
    lifecycle: lifecycleOf(isCorrecting, prompt),
    ...(parts.output === undefined ? {} : { output: outputFormatOf(parts.output) }),
    ...defined({ toolChoice, requiredCall, maxTokens, temperature, thinking, cache: parts.cache }),
  }
}

/** Returns the tools with these names, in the order of the table, without those that the current code lacks. */
export function chosenTools(tools: ToolTable, names: readonly string[] | undefined): ToolTable {
  if (names === undefined) return tools
  return new Map([...tools].filter(([name]) => names.includes(name)))
}

/**
 * Returns the messages that a plugin or a strategy made from the given ones. Throws a `TypeError` for a message that a
 * model cannot read.
 */
export function checkedMessages(made: unknown, given: readonly ModelMessage[]): readonly ModelMessage[] {
  const copy: unknown = frozenCopy(made, { keeps: oneOf(given) })
  if (!Array.isArray(copy)) {
    throw new TypeError(`its result ${copyJson(made).problem ?? 'is not a list'}. Expected a list of messages.`)
  }
  const unreadable = copy.findIndex((message) => !isModelMessage(message))
  if (unreadable >= 0) throw new TypeError(`message ${unreadable} of its result is not valid for a model.`)
  return copy
}
