import type { ModelCallOutcome } from '../model-call/model-call.types.ts'
import { isFields } from './run.fields.ts'

/** Returns the outcome of a custom model-call machine if it fits the contract, else a failed call. */
export function readOutcome(given: unknown): ModelCallOutcome {
  return isOutcome(given) ? given : broken(given)
}

function broken(given: unknown): ModelCallOutcome {
  const expected =
    "{ status: 'answered', answer }, { status: 'refused', reason, usage, cost, at } or { status: 'failed', error, isUnavailable, at }, as ModelCallOutcome"
  const message = `The machine provided as "modelCall" returned ${shown(given)}. Expected ${expected} says.`
  return { status: 'failed', error: { code: 'engine_error', message }, isUnavailable: false, at: 0 }
}

/** The maximum number of characters of the given value in the message. */
const mostShown = 200

function shown(given: unknown): string {
  try {
    return (JSON.stringify(given) ?? `a value of type ${typeof given}`).slice(0, mostShown)
  } catch {
    return `a value of type ${typeof given} that is not JSON`
  }
}

function isOutcome(given: unknown): given is ModelCallOutcome {
  if (!isFields(given)) return false
  const { status, error, answer } = given
  if (status === 'answered') return isAnswer(answer)
  if (status === 'refused') return typeof given['reason'] === 'string' && isPaid(given)
  return status === 'failed' && isFields(error) && areTexts([error['code'], error['message']])
}

function isAnswer(given: unknown): boolean {
  if (!isFields(given) || !isPaid(given) || !Number.isFinite(given['seq'])) return false
  const { calls, dropped } = given
  if (!Array.isArray(calls) || !Array.isArray(dropped)) return false
  return (
    areTexts(dropped) &&
    calls.every((call) => isFields(call) && isFields(call['verdict']) && typeof call['callId'] === 'string')
  )
}

function isPaid({ usage, cost, at }: Readonly<Record<string, unknown>>): boolean {
  if (!isFields(usage)) return false
  const { input, output, cacheRead, cacheWrite, totalTokens } = usage
  return [cost, at, input, output, cacheRead, cacheWrite, totalTokens].every(Number.isFinite)
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}
