import type { ModelCallOutcome } from '../model-call/model-call.types.ts'
import { isFields } from './run.fields.ts'

/** What a machine in the place of `modelCall` gave, as it is where it keeps the contract; else as a call that failed. */
export function readOutcome(given: unknown): ModelCallOutcome {
  return isOutcome(given) ? given : broken(given)
}

function broken(given: unknown): ModelCallOutcome {
  const expected =
    "{ status: 'answered', answer } or { status: 'failed', error, isUnavailable, at }, as ModelCallOutcome"
  const message = `The machine in the place of "modelCall" gave ${shown(given)}. Expected ${expected} says.`
  return { status: 'failed', error: { code: 'engine_error', message }, isUnavailable: false, at: 0 }
}

/** Characters of what was given that the message shows. */
const mostShown = 200

function shown(given: unknown): string {
  try {
    return (JSON.stringify(given) ?? `a value of type ${typeof given}`).slice(0, mostShown)
  } catch {
    return `a value of type ${typeof given} that is no JSON`
  }
}

function isOutcome(given: unknown): given is ModelCallOutcome {
  if (!isFields(given)) return false
  const { status, error, answer } = given
  if (status === 'answered') return isAnswer(answer)
  return status === 'failed' && isFields(error) && areTexts([error['code'], error['message']])
}

function isAnswer(given: unknown): boolean {
  if (!isFields(given) || !isFields(given['usage'])) return false
  const { input, output, cacheRead, cacheWrite, totalTokens } = given['usage']
  const numbers = [given['seq'], given['cost'], given['at'], input, output, cacheRead, cacheWrite, totalTokens]
  const { calls, dropped } = given
  if (!numbers.every(Number.isFinite) || !Array.isArray(calls) || !Array.isArray(dropped)) return false
  return (
    areTexts(dropped) &&
    calls.every((call) => isFields(call) && isFields(call['verdict']) && areTexts([call['callId']]))
  )
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}
