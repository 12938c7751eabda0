import type { PhaseVerdict } from '../../../../machines/run/run.types.ts'
import type { ModelMessage } from '../../domain/message.ts'
import type { Json } from '../../domain/text/json.ts'
import type { RequestHead, RequestPlan } from '../../domain/request-plan.ts'
import type { EffectContext, EffectResult, RunView } from '../../ports/effect-handler.ts'
import type { Model, OutputFormat, RequestLifecycle } from '../../ports/model.ts'
import type { OutputContract } from '../../ports/output-contract.ts'
import type { RequestContext } from '../../ports/plugin.ts'
import type { AgentParts } from '../agent-parts.ts'
import { jsonSchemaOf } from '../tools/json-schema-of.ts'
import { rootedOutput } from './rooted-output.ts'
import { nameOfModel } from './order-models.ts'

/** The system prompt: what plugins made for this run, else that of the agent. */
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
export function lifecycleOf(isCorrecting: boolean, messages: readonly ModelMessage[]): RequestLifecycle {
  if (isCorrecting) return 'output_error_feedback'
  return messages.at(-1)?.role === 'toolResult' ? 'tool_result' : 'init'
}

/** The form of the answer that ends the run, for wires that have a place for it. */
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

/** Messages of the log are ours and frozen at every depth: no plugin has to pay for a copy of all of them. */
export function oneOf(messages: readonly object[]): (value: object) => boolean {
  const ours = new Set(messages)
  return (value) => ours.has(value) && Object.isFrozen(value)
}
