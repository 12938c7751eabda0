import { scopeWords } from '../../core/domain/decision-scope.ts'
import { isScope } from '../../core/domain/check-decision.ts'
import type { Decision } from '../../index.ts'
import { HttpError } from '../http/http-error.ts'

/** The client's answer to a call that waits for yes or no. */
export interface GivenAnswer {
  readonly target: string
  /** Only `true` is a yes, and only `false` a no. */
  readonly approved: unknown
  readonly scope?: unknown
  readonly reason?: unknown
  /** The expected answer, in words. */
  readonly wish: string
}

/**
 * Returns a yes or a no as a decision. Throws an `HttpError` for any other value, such as `'no'`, `0` or null: the call
 * keeps waiting.
 */
export function clearAnswer({ target, approved, scope, reason, wish }: GivenAnswer): Decision {
  if (typeof approved !== 'boolean') {
    throw new HttpError(
      400,
      'unclear_answer',
      `The answer to "${target.slice(0, 200)}" is neither a yes nor a no. ${wish}`,
    )
  }
  if (scope !== undefined && !isScope(scope)) {
    throw new HttpError(400, 'bad_scope', `The scope of an answer is refused. Expected ${scopeWords}.`)
  }
  const reach = scope === undefined ? {} : { scope }
  const why = typeof reason === 'string' && reason !== '' ? { reason: reason.slice(0, 10_000) } : {}
  return approved ? { target, action: 'resume', ...reach } : { target, action: 'cancel', ...reach, ...why }
}
