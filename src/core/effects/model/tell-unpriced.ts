import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import type { RunMemory } from './run-memory.ts'

/** Tells once a run that nobody knows the price of a model. */
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
