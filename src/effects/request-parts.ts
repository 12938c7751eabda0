import type { PhaseVerdict } from '../../machines/run/run.types.ts'
import type { ModelMessage } from '../domain/message.ts'
import type { Json } from '../domain/json.ts'
import type { RequestHead, RequestPlan } from '../domain/request-plan.ts'
import type { EffectResult, RunView } from '../ports/effect-handler.ts'
import type { OutputFormat, RequestLifecycle } from '../ports/model.ts'
import type { OutputContract } from '../ports/output-contract.ts'
import type { AgentParts } from './agent-parts.ts'
import { jsonSchemaOf } from './json-schema-of.ts'

/** The system prompt: what the context builder made for this run, else that of the agent. */
export function instructionsOf({ instructions }: AgentParts, view: RunView): string {
  const own = view.value('instructions')
  return typeof own === 'string' ? own : instructions
}

/** What plugins ask of a model call. */
export function planOf(request: RequestHead | RequestPlan | undefined, view: RunView): RequestPlan {
  if (request === undefined || !('isLogged' in request)) return request ?? {}
  return (view.value('request') ?? {}) as RequestPlan
}

/** What a phase asks of the model call that follows, with the plan in the log: the chart is told only that there is one. */
export function loggedPlan(
  verdict: PhaseVerdict,
): Pick<EffectResult<PhaseVerdict>, 'writes'> & { output: PhaseVerdict } {
  const { request } = verdict
  if (request === undefined || request === null || 'isLogged' in request) return { output: verdict }
  const { model } = request
  const head: RequestHead = { isLogged: true, ...(model === undefined ? {} : { model }) }
  const value = request as unknown as Json
  return { output: { ...verdict, request: head }, writes: [{ kind: 'value', name: 'request', value }] }
}

/** Why the model is asked. */
export function lifecycleOf(isCorrecting: boolean, messages: readonly ModelMessage[]): RequestLifecycle {
  if (isCorrecting) return 'output_error_feedback'
  return messages.at(-1)?.role === 'toolResult' ? 'tool_result' : 'init'
}

/** The form of the answer that ends the run, for wires that have a place for it. */
export function outputFormatOf({ schema }: OutputContract): OutputFormat {
  return { name: 'output', schema: jsonSchemaOf(schema) }
}
