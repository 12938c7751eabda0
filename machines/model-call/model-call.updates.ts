import type { Attempted, ModelCallContext, ModelCallInput, ModelCallOutcome } from './model-call.types.ts'

/** A truncated answer is continued at most this often. */
const maxContinuations = 3

export function initialContext(input: ModelCallInput): ModelCallContext {
  return { ...input, failures: 0, modelIndex: 0, continuations: 0, retryAt: 0 }
}

export function mayContinue(attempted: Attempted): boolean {
  return attempted.kind === 'truncated' && attempted.parts <= maxContinuations
}

export function mayRetry({ failures, maxRetries }: ModelCallContext, attempted: Attempted): boolean {
  return attempted.kind === 'failed' && attempted.retryAt !== null && failures < maxRetries
}

/** Another model is asked where this one cannot be reached; an API or auth error would only repeat. */
export function maySwitch({ modelIndex, fallbacks }: ModelCallContext, attempted: Attempted): boolean {
  return attempted.kind === 'failed' && attempted.retryAt !== null && modelIndex < fallbacks
}

export function planRetry({ failures }: ModelCallContext, attempted: Attempted): Partial<ModelCallContext> {
  const retryAt = attempted.kind === 'failed' ? (attempted.retryAt ?? 0) : 0
  return { failures: failures + 1, retryAt }
}

export function takePart(attempted: Attempted): Partial<ModelCallContext> {
  return attempted.kind === 'truncated' ? { continuations: attempted.parts } : {}
}

export function nextModel({ modelIndex }: ModelCallContext): Partial<ModelCallContext> {
  return { modelIndex: modelIndex + 1, failures: 0, continuations: 0 }
}

const noAnswer = { code: 'engine_error', message: 'The model call has ended without an answer.' }

/** What the run hears of a call that ended in its `answered` state. */
export function answered(attempted: Attempted): ModelCallOutcome {
  if (attempted.kind === 'answered') return { status: 'answered', answer: attempted.answer }
  return { status: 'failed', error: noAnswer, at: 0 }
}

/** What the run hears of a call that ended in its `failed` state. */
export function failed(attempted: Attempted): ModelCallOutcome {
  if (attempted.kind === 'failed') return { status: 'failed', error: attempted.error, at: attempted.at }
  return { status: 'failed', error: noAnswer, at: 0 }
}
