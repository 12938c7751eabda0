import type { OutputConfig, ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages/messages'
import type { ThinkingLevel } from '../../../core/ports/model.ts'

/** The part of a request that sets the amount of thinking; if it is empty, the model decides. */
export interface ThinkingPlan {
  readonly thinking?: ThinkingConfigParam
  readonly output_config?: OutputConfig
}

/**
 * Returns the wire's form of a thinking level. Models from 4.6 on decide themselves, guided by an effort; older ones
 * get a token budget. Some cannot stop thinking: for them `off` is the minimum.
 */
export function thinkingPlan(model: string, level: ThinkingLevel | undefined): ThinkingPlan {
  if (level === undefined) return {}
  if (!thinksAdaptively(model)) {
    return level === 'off' ? {} : { thinking: { type: 'enabled', budget_tokens: budgets[level] } }
  }
  if (level === 'off') return leastThinking(model)
  return { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: efforts[level] } }
}

/** Returns the thinking tokens that a plan reserves, or 0 without a budget. */
export function budgetOf({ thinking }: ThinkingPlan): number {
  return thinking?.type === 'enabled' ? thinking.budget_tokens : 0
}

/** Returns true for models with an effort instead of a budget: 4.6 and later. */
export function thinksAdaptively(model: string): boolean {
  return generationOf(model) >= 406
}

/** Returns true if the server rejects a thinking block after changed messages, as it does for models later than 5.0. */
export function checksPrefix(model: string): boolean {
  return generationOf(model) > 500
}

/**
 * Returns true if a request may require a call. Models later than 5.0 do not allow this, nor do older ones while they
 * think.
 */
export function mayBeForced(model: string, { thinking }: ThinkingPlan): boolean {
  return generationOf(model) <= 500 && (thinking === undefined || thinking.type === 'disabled')
}

/** Returns true if a request can set the answer's schema, which models from 4.5 on support. */
export function knowsFormats(model: string): boolean {
  return generationOf(model) >= 405
}

const efforts = { minimal: 'low', low: 'low', medium: 'medium', high: 'high' } as const

/** The wire's minimum is 1024. */
const budgets = { minimal: 1024, low: 1024, medium: 2048, high: 8192 } as const

/** Models before 5.0 think when asked to; of the later ones each family has its own way to think less. */
function leastThinking(model: string): ThinkingPlan {
  const generation = generationOf(model)
  if (generation < 500) return {}
  if (/sonnet/.test(model) && generation >= 505) return { thinking: { type: 'between_tools' } }
  const mayStop = /opus|sonnet/.test(model) ? generation === 500 : /haiku/.test(model)
  return mayStop ? { thinking: { type: 'disabled' } } : { output_config: { effort: 'low' } }
}

/** 406 for 4.6; a Claude without a number is taken for a current one, any other model for an old one. */
function generationOf(model: string): number {
  const match = /claude-(?:[a-z]+-)?(\d{1,2})(?:[.-](\d{1,2}))?(?!\d)/.exec(model)
  if (match === null) return model.includes('claude') ? Number.POSITIVE_INFINITY : 0
  return Number(match[1]) * 100 + Number(match[2] ?? 0)
}
