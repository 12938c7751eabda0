import type { RequestOverride } from '../domain/request-plan.ts'

/** What is wrong with a value, as what was expected; undefined where nothing is. */
type Check = (value: unknown) => string | undefined

const levels: readonly unknown[] = ['off', 'minimal', 'low', 'medium', 'high']

const checks: { readonly [Field in keyof RequestOverride]-?: Check } = {
  model: expecting('the name of a model', (value) => typeof value === 'string'),
  thinking: expecting('off, minimal, low, medium or high', (value) => levels.includes(value)),
  temperature: expecting('a finite number of 0 or more', (value) => isNumber(value) && value >= 0),
  maxTokens: expecting(
    'a whole number of 1 or more',
    (value) => isNumber(value) && Number.isInteger(value) && value >= 1,
  ),
  toolChoice: expecting('auto or none', (value) => value === 'auto' || value === 'none'),
  requiredCall: expecting('true or the name of a tool', (value) => value === true || typeof value === 'string'),
}

/** The fields of an override. */
export const settingNames: readonly string[] = Object.keys(checks)

/** The settings of one model call, those left undefined left out; throws a `TypeError` that names a field which is refused. */
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
  const wish = checks[field as keyof RequestOverride](value)
  if (wish !== undefined) return `The setting ${field} is ${shown(value)}. Expected ${wish}.`
  if (field !== 'model' || models.includes(String(value))) return undefined
  return `Model "${String(value)}" is none of this agent's. Known: ${models.join(', ')}.`
}

function expecting(wish: string, fits: (value: unknown) => boolean): Check {
  return (value) => (fits(value) ? undefined : wish)
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'object' ? 'an object' : (JSON.stringify(value) ?? `a ${typeof value}`)
}
