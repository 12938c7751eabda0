import type { Model, Prices } from '../../../core/ports/model.ts'
import type { ModelOptions } from './model-options.ts'

/** The known facts of a model; prices are US dollars per million tokens. */
export interface ModelFacts {
  readonly contextWindow: number
  readonly maxTokens: number
  readonly prices?: Prices
}

/** Returns the facts of a model. Its options precede the table; an unlisted model has no facts. */
export function factsOf(
  provider: string,
  model: string,
  { contextWindow, maxTokens, prices }: ModelOptions,
): Pick<Model, 'contextWindow' | 'maxTokens' | 'prices'> {
  const known = knownFacts(provider, model)
  const facts = {
    contextWindow: contextWindow ?? known?.contextWindow,
    maxTokens: maxTokens ?? known?.maxTokens,
    prices: prices ?? known?.prices,
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

/**
 * Returns the facts of the longest name in the table with which a model's name starts, whatever region or release
 * follows.
 */
export function knownFacts(provider: string, model: string): ModelFacts | undefined {
  const name = model.replace(/^([a-z]{2,6}\.)?(anthropic\.|models\/)/, '')
  const names = Object.keys(facts).filter((known) => name.startsWith(known))
  const [longest] = names.sort((left, right) => right.length - left.length)
  return provider === 'scripted' || longest === undefined ? undefined : facts[longest]
}

/** Short-context prices as the providers listed them on 2026-11-22; a name stands for all its releases. */
const facts: Readonly<Record<string, ModelFacts>> = {
  'claude-fable-5-1': { contextWindow: 1_000_000, maxTokens: 128_000 },
  'claude-opus-5-5': { contextWindow: 1_000_000, maxTokens: 128_000, prices: dollars(4, 20, 0.2, 5) },
  'claude-opus-5': { contextWindow: 1_000_000, maxTokens: 128_000, prices: dollars(5, 25, 0.5, 6.25) },
  'claude-opus-4-5': { contextWindow: 200_000, maxTokens: 64_000, prices: dollars(5, 25, 0.5, 6.25) },
  'claude-sonnet-5': { contextWindow: 1_000_000, maxTokens: 128_000, prices: dollars(2, 10, 0.2, 2.5) },
  'claude-haiku-4-5': { contextWindow: 200_000, maxTokens: 64_000, prices: dollars(1, 5, 0.1, 1.25) },
  'gpt-6-astra': { contextWindow: 1_050_000, maxTokens: 128_000, prices: dollars(10, 50, 1, 12.5) },
  'gpt-6-sol': { contextWindow: 1_050_000, maxTokens: 128_000, prices: dollars(2, 10, 0.2, 2.5) },
  'gpt-6-luna': { contextWindow: 1_050_000, maxTokens: 128_000, prices: dollars(0.1, 0.5, 0.01, 0.125) },
  'gpt-6.1-sol': { contextWindow: 1_050_000, maxTokens: 128_000, prices: dollars(2, 10, 0.1, 2.5) },
  'gemini-3.8-flash': { contextWindow: 1_048_576, maxTokens: 65_536, prices: dollars(0.75, 3.75, 0.075, 0.75) },
  'gemini-3.7-flash': { contextWindow: 1_048_576, maxTokens: 65_536, prices: dollars(0.75, 3.75, 0.075, 0.75) },
}

function dollars(input: number, output: number, cacheRead: number, cacheWrite: number): Prices {
  return { input, output, cacheRead, cacheWrite }
}
