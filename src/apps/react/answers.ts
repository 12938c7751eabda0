import type { Decision, DecisionReceipt, DecisionScope } from '../../core/domain/decision.ts'
import type { Json } from '../../core/domain/text/json.ts'
import type { PostReceipt } from '../../core/domain/inbox.ts'
import type { Said } from '../../core/domain/message.ts'
import { post, type ServerOptions } from './requests.ts'

/** How far an answer goes; `scopesFor` of `statewright` says which scopes a call takes. Default: its call alone. */
export interface AnswerScope {
  readonly scope?: DecisionScope
}

/** What a page does to a run. Each rejects with a `RequestError` where the server refuses. */
export interface RunActions {
  /** Answers calls, as `run.decide` does. */
  decide(decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]>
  /** Lets a suspended call run, by the id of the call or of its suspension; a scope goes beyond the call. */
  approve(target: string, options?: AnswerScope): Promise<DecisionReceipt | undefined>
  /** Ends a suspended call; the reason becomes its result. */
  deny(target: string, reason?: string, options?: AnswerScope): Promise<DecisionReceipt | undefined>
  /** Lets a suspended call run with other arguments. */
  edit(target: string, input: Json): Promise<DecisionReceipt | undefined>
  /** Gives a suspended call its result. */
  respond(target: string, result: Json): Promise<DecisionReceipt | undefined>
  /** Says something before the next turn. */
  steer(prompt: Said): Promise<void>
  /** Ends the run. */
  cancel(reason?: string): Promise<PostReceipt>
}

/** The actions of one run; `done` is called after each. */
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
