import type { Attempted, ModelCallContext, ModelCallInput, ModelCallOutcome } from './model-call.types.ts'

/** A truncated answer is continued at most this often. */
const maxContinuations = 3

export function initialContext(input: ModelCallInput): ModelCallContext {
  return { ...input, failures: 0, modelIndex: 0, continuations: 0, retryAt: 0, outcome: null }
}

export function mayContinue({ continuations }: ModelCallContext): boolean {
  return continuations < maxContinuations
}

export function mayRetry({ failures, maxRetries }: ModelCallContext, attempted: Attempted): boolean {
  return attempted.kind === 'failed' && attempted.retryAt !== null && failures < maxRetries
}

/** Another model is asked where this one cannot be reached; an API or auth error would only repeat. */
export function maySwitch({ modelIndex, fallbacks }: ModelCallContext, attempted: Attempted): boolean {
  return attempted.kind === 'failed' && attempted.retryAt !== null && modelIndex < fallbacks
}

export function takeAnswer(attempted: Attempted): Partial<ModelCallContext> {
  return attempted.kind === 'answered' ? { outcome: { status: 'answered', answer: attempted.answer } } : {}
}

export function takeFailure(attempted: Attempted): Partial<ModelCallContext> {
  if (attempted.kind !== 'failed') return {}
  return { outcome: { status: 'failed', error: attempted.error, at: attempted.at } }
}

export function planRetry({ failures }: ModelCallContext, attempted: Attempted): Partial<ModelCallContext> {
  const retryAt = attempted.kind === 'failed' ? (attempted.retryAt ?? 0) : 0
  return { failures: failures + 1, retryAt }
}

export function countContinuation({ continuations }: ModelCallContext): Partial<ModelCallContext> {
  return { continuations: continuations + 1 }
}

export function nextModel({ modelIndex }: ModelCallContext): Partial<ModelCallContext> {
  return { modelIndex: modelIndex + 1, failures: 0, continuations: 0 }
}

/** Read only in a final state, whose entry has set it. */
export function outcomeOf({ outcome }: ModelCallContext): ModelCallOutcome {
  return outcome ?? { status: 'failed', error: { code: 'engine_error', message: 'No outcome.' }, at: 0 }
}
