import type { AssistantMessage } from '../domain/message.ts'
import type { EffectContext } from '../ports/effect-handler.ts'
import type { Model, ModelRequest } from '../ports/model.ts'
import type { AgentParts } from './agent-parts.ts'
import { priced } from './answer-cost.ts'
import type { RunMemory } from './run-memory.ts'
import { type AskedParts, streamAnswer } from './stream-answer.ts'

/** A request, and the answer that it is a part of. */
export interface ModelAsk extends AskedParts {
  readonly model: Model
  readonly request: ModelRequest
  readonly turn: number
}

/** Makes one request to a model, whose answer has its cost. Every request that is paid goes this way, and is traced here. */
export async function askModel(
  parts: Pick<AgentParts, 'prices'>,
  { model, request, turn, ...asked }: ModelAsk,
  memory: RunMemory,
  context: EffectContext,
): Promise<AssistantMessage> {
  const { provider, id } = model
  const ask = async () => priced(parts, model, await streamAnswer(model, request, memory, asked, turn, context))
  return context.asking === undefined ? ask() : context.asking({ provider, model: id, messages: request.messages }, ask)
}
