import type { Decision, DecisionReceipt, DecisionScope } from '../../core/domain/decision.ts'
import type { Json } from '../../core/domain/text/json.ts'
import type { PostReceipt } from '../../core/domain/inbox.ts'
import type { Said } from '../../core/domain/message.ts'
import { post, type ServerOptions } from './requests.ts'

/** The scope of an answer. `scopesFor` of `statewright` returns the scopes of a call. Default: only its call. */
export interface AnswerScope {
  readonly scope?: DecisionScope
}

/** The actions of a page on a run. Each one rejects with a `RequestError` if the server refuses. */
export interface RunActions {
  /** Answers calls, as `run.decide` does. */
  decide(decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]>
  /** Approves a suspended call, by the id of the call or of its suspension. */
  approve(target: string, options?: AnswerScope): Promise<DecisionReceipt | undefined>
  /** Ends a suspended call; the reason becomes its result. */
  deny(target: string, reason?: string, options?: AnswerScope): Promise<DecisionReceipt | undefined>
  /** Approves a suspended call with other arguments. */
  edit(target: string, input: Json): Promise<DecisionReceipt | undefined>
  /** Sets the result of a suspended call. */
  respond(target: string, result: Json): Promise<DecisionReceipt | undefined>
  /** Sends a message for the next turn. */
  steer(prompt: Said): Promise<void>
  /** Ends the run. */
  cancel(reason?: string): Promise<PostReceipt>
}

/** Returns the actions on one run; `done` is called after each. */
export function actionsOf(server: ServerOptions, runId: string, done: () => void): RunActions {
  const send = async (action: string, body: object): Promise<unknown> => {
    try {
      return await post(server, `/runs/${encodeURIComponent(runId)}/${action}`, body)
    } finally {
      done()
    }
  }
  const decide = async (decisions: readonly Decision[]) =>
    ((await send('decisions', { decisions })) as { readonly receipts: readonly DecisionReceipt[] }).receipts
  const one = async (decision: Decision) => (await decide([decision]))[0]
  return {
    decide,
    approve: (target, { scope } = {}) => one({ target, action: 'resume', ...(scope && { scope }) }),
    deny: (target, reason, { scope } = {}) =>
      one({ target, action: 'cancel', ...(reason === undefined ? {} : { reason }), ...(scope && { scope }) }),
    edit: (target, input) => one({ target, action: 'resume', input }),
    respond: (target, result) => one({ target, action: 'resume', mode: 'use-as-result', result }),
    steer: async (prompt) => void (await send('steer', { prompt })),
    cancel: async (reason) =>
      ((await send('cancel', reason === undefined ? {} : { reason })) as { readonly receipt: PostReceipt }).receipt,
  }
}
