import type { RequestOverride } from '../../domain/request-plan.ts'
import { type Fits, isAmount, isOneOf, isText } from '../../domain/text/shape.ts'

/** The checks of the fields, with the expected values in words. */
const checks: { readonly [Field in keyof RequestOverride]-?: readonly [wish: string, fits: Fits] } = {
  model: ['the name of a model', isText],
  thinking: ['off, minimal, low, medium or high', isOneOf('off', 'minimal', 'low', 'medium', 'high')],
  temperature: ['a finite number of 0 or more', isAmount],
  maxTokens: ['a whole number of 1 or more', (value) => Number.isInteger(value) && Number(value) >= 1],
  toolChoice: ['auto or none', isOneOf('auto', 'none')],
  requiredCall: ['true or the name of a tool', (value) => value === true || isText(value)],
}

/** The fields of an override. */
export const settingNames: readonly string[] = Object.keys(checks)

/** Returns the settings of one model call without undefined ones; throws a `TypeError` that names an invalid field. */
export function checkOverride(
  settings: Readonly<Record<string, unknown>>,
  models: readonly string[],
): Readonly<Record<string, unknown>> {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined)
  for (const [field, value] of given) {
    const problem = problemOf(field, value, models)
    if (problem !== undefined) throw new TypeError(problem)
  }
  return Object.fromEntries(given)
}

function problemOf(field: string, value: unknown, models: readonly string[]): string | undefined {
  if (!Object.hasOwn(checks, field)) {
    return `The setting "${field}" is not known. Known: ${settingNames.join(', ')}.`
  }
  const [wish, fits] = checks[field as keyof RequestOverride]
  if (!fits(value)) return `The setting ${field} is ${shown(value)}. Expected ${wish}.`
  if (field !== 'model' || models.includes(String(value))) return undefined
  return `Model "${String(value)}" is not one of this agent's. Known: ${models.join(', ')}.`
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'object' ? 'an object' : (JSON.stringify(value) ?? `a ${typeof value}`)
}
