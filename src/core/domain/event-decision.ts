import type { Decision, DecisionReceipt } from './decision.ts'
import type { DecisionOccasion } from './judge-decision.ts'
import type { PostedItem, PostReceipt } from './inbox.ts'
import type { Json } from './text/json.ts'
import { sha256 } from './text/platform.ts'
import { errorTextIn, readEvent, runIn, type ServiceEvent } from './service-event.ts'

/**
 * Returns the decision for a service's answer. Events with the same source and id are the same decision, even if they
 * are repeated. `failed` is true if the service reports a failure.
 */
export function eventDecision(event: ServiceEvent, callId: string, failed: boolean): Decision {
  const { source, id, data = null } = event
  const result: Json = failed ? { content: [{ type: 'text', text: errorTextIn(event) }], status: 'error' } : data
  return {
    target: callId,
    decisionId: `event:${sha256(JSON.stringify([source, id])).slice(0, 40)}`,
    action: 'resume',
    mode: 'use-as-result',
    result,
    by: source,
  }
}

/**
 * Stores a service's answer as a decision; the contract checks it when it is used. `decide` accepts it only for a call
 * that was sent to a service.
 */
export async function postAnswer(
  runId: string,
  { body }: Extract<PostedItem, { readonly kind: 'serviceAnswer' }>,
  decide: (
    decisions: readonly Decision[],
    service: NonNullable<DecisionOccasion['service']>,
  ) => Promise<readonly DecisionReceipt[]>,
): Promise<PostReceipt> {
  const read = readEvent(body)
  if ('problem' in read) return { target: runId, answer: 'refused', message: read.problem }
  const { parentid, type, to } = read.event
  if (to !== undefined && runIn(to) !== runId)
    return {
      target: runId,
      answer: 'refused',
      message: `The event is for ${JSON.stringify(to)}, and not for run "${runId}".`,
    }
  if (parentid === undefined) {
    return { target: runId, answer: 'refused', message: 'The event has no "parentid": it answers nothing.' }
  }
  const failed = /^sys\..*\.error$/.test(type)
  const [receipt] = await decide([eventDecision(read.event, parentid, failed)], to === undefined ? {} : { to })
  const { answer = 'unknown', message } = receipt ?? {}
  return {
    target: parentid,
    answer: answer === 'kept' ? 'applied' : answer,
    ...(message === undefined ? {} : { message }),
  }
}
