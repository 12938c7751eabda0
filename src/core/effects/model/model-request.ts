import type { CallModelInput } from '../../../../machines/model-call/model-call.types.ts'
import { type AssistantMessage, userMessage } from '../../domain/message.ts'
import type { RequestPlan } from '../../domain/request-plan.ts'
import type { RunView } from '../../ports/effect-handler.ts'
import type { ModelRequest } from '../../ports/model.ts'
import type { AgentParts } from '../agent-parts.ts'
import type { ToolTable } from '../agent-tools.ts'
import type { FittedPrompt } from './fit-prompt.ts'
import { instructionsOf, lifecycleOf, outputFormatOf } from './request-parts.ts'
import { toolDefinitions } from './tool-definitions.ts'

/** A request before it is sent: no cancelling yet. */
export type PlannedRequest = Omit<ModelRequest, 'signal'>

/** A model call with the plugins' plan. */
interface PlannedCall extends Pick<CallModelInput, 'isFinishing' | 'isCorrecting'> {
  readonly plan: RequestPlan
}

/** The model's answers until now. */
interface AnsweredSoFar {
  /** The number of answers in the transcript. */
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
  { messages: prompt, seen: counts }: Pick<FittedPrompt, 'messages' | 'seen'>,
  { answers, earlier }: AnsweredSoFar,
  view: RunView,
): PlannedRequest {
  const messages = [...prompt]
  for (const part of earlier) messages.push(part, userMessage(continueText, part.timestamp))
  if (isFinishing) messages.push(userMessage(finishText, messages.at(-1)?.timestamp ?? 0))
  const seen = messages.length === counts.length ? counts : messages.map((_, place) => counts[place] ?? 0)
  const { maxTokens = parts.maxTokens, temperature = parts.temperature, thinking = parts.thinking } = plan
  const toolChoice = isFinishing ? 'none' : plan.toolChoice
  const { requiredCall } = plan
  return {
    system: instructionsOf(parts, view),
    messages,
    seen,
    answers: answers + earlier.length,
    tools: toolDefinitions(tools),
    lifecycle: lifecycleOf(isCorrecting, prompt),
    ...(parts.output === undefined ? {} : { output: outputFormatOf(parts.output) }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(requiredCall === undefined || isFinishing ? {} : { requiredCall }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(parts.cache === undefined ? {} : { cache: parts.cache }),
  }
}

/** The tools of these names, in the order of the table; those current code has no more are left out. */
export function chosenTools(tools: ToolTable, names: readonly string[] | undefined): ToolTable {
  if (names === undefined) return tools
  return new Map([...tools].filter(([name]) => names.includes(name)))
}
