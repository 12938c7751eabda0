import type { AssistantMessage } from '../../domain/message.ts'
import type { Model, Prices } from '../../ports/model.ts'
import type { AgentParts } from '../agent-parts.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { RunMemory } from './run-memory.ts'

/** Returns the answer with its cost, if its model has a price. */
export function priced(
  { prices }: Pick<AgentParts, 'prices'>,
  model: Pick<Model, 'provider' | 'id' | 'prices'>,
  answer: AssistantMessage,
): AssistantMessage {
  if (answer.cost !== undefined) return answer
  const found = pricesOf({ prices }, model)
  return found === undefined ? answer : { ...answer, cost: costOf(answer.usage, found) }
}

/** Returns the prices of a model: those of the agent's table, or else the model's own. */
export function pricesOf(
  { prices }: Pick<AgentParts, 'prices'>,
  model: Pick<Model, 'provider' | 'id' | 'prices'>,
): Prices | undefined {
  return prices.get(`${model.provider}/${model.id}`) ?? model.prices
}

/** Returns true for an answer that used tokens without a known price. */
export function isUnpriced({ cost, usage }: AssistantMessage): boolean {
  return cost === undefined && usage.totalTokens > 0
}

function costOf({ input, output, cacheRead, cacheWrite }: AssistantMessage['usage'], prices: Prices): number {
  const millionths =
    input * prices.input + output * prices.output + cacheRead * prices.cacheRead + cacheWrite * prices.cacheWrite
  return millionths / 1_000_000
}

/** Reports to a run, once, that the price of a model is unknown. */
export function tellUnpriced(
  { provider, id }: Model,
  { unpriced }: RunMemory,
  turn: number,
  { runId, clock, emit }: EffectContext,
): void {
  const name = `${provider}/${id}`
  if (unpriced.has(name)) return
  unpriced.add(name)
  emit({ type: 'model.unpriced', runId, at: clock.now(), turn, provider, model: id })
}
