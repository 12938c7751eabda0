import type { ThinkingConfig, FunctionCallingConfigMode, ThinkingLevel as WireThinkingLevel } from '@google/genai/web'
import type { ThinkingLevel } from '../../../core/ports/model.ts'

/**
 * Returns the wire's form of a thinking level: for models from 3.0 on a level, with `off` and `minimal` as the lowest;
 * for older ones a token budget, which cannot be 0 for the larger models. Undefined means that the model decides.
 */
export function thinkingConfig(
  model: string,
  level: ThinkingLevel | undefined,
  { ThinkingLevel: levels }: GoogleSdk,
): ThinkingConfig | undefined {
  if (level === undefined) return undefined
  const generation = generationOf(model)
  if (generation >= 300) {
    const names = { off: levels.LOW, minimal: levels.LOW, low: levels.LOW, medium: levels.MEDIUM, high: levels.HIGH }
    return { includeThoughts: level !== 'off', thinkingLevel: names[level] }
  }
  if (!thinks(model)) return undefined
  const least = model.includes('pro') ? 128 : 0
  return level === 'off' ? { thinkingBudget: least } : { includeThoughts: true, thinkingBudget: budgets[level] }
}

/** Returns true for models that think, which are those from 2.5 on. */
export function thinks(model: string): boolean {
  return generationOf(model) >= 205
}

/**
 * Returns a model's version as a number, such as 308 for gemini-3.8. A Gemini without a number counts as a current one,
 * any other model as an old one.
 */
export function generationOf(model: string): number {
  const match = /gemini-(\d+)(?:\.(\d+))?/.exec(model)
  if (match === null) return model.includes('gemini') ? Number.POSITIVE_INFINITY : 0
  return Number(match[1]) * 100 + Number(match[2] ?? 0)
}

const budgets = { minimal: 1024, low: 2048, medium: 8192, high: 16_384 } as const

/** The enumerations of the package that requests use. */
export interface GoogleSdk {
  readonly FunctionCallingConfigMode: typeof FunctionCallingConfigMode
  readonly ThinkingLevel: typeof WireThinkingLevel
}
