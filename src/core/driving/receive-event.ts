import type { CallRecord } from '../domain/call.ts'
import type { DecisionAnswer } from '../domain/decision.ts'
import { eventDecision } from '../domain/event-decision.ts'
import { isPermissionHold } from '../domain/permission-request.ts'
import {
  areOfOneAgent,
  errorTypeOf,
  readEvent,
  runIn,
  type SentEvent,
  sourceOf,
  type ServiceEvent,
} from '../domain/service-event.ts'
import { ifStored } from '../domain/store-error.ts'
import { checkValue } from '../effects/tools/check-value.ts'
import type { AgentCore } from './agent-core.ts'
import { storeFittingDecisions } from './store-decisions.ts'

/** The result of a received event. Only `applied` changes anything. */
export interface EventReceipt {
  readonly answer: Exclude<DecisionAnswer, 'kept'>
  /** The run it is for; absent if it names none. */
  readonly runId?: string
  /** The call it answers. */
  readonly callId?: string
  /** Why, if it is not `applied`. */
  readonly message?: string
}

/**
 * Processes the answer of a service. Its `to`, or else its subject, names the run, and its `parentid` names the call.
 * The contract of the service checks the answer, which is then stored for the driver of the run. Rejects only if the
 * store fails.
 */
export async function receiveEvent(core: AgentCore, given: unknown, ownRun?: string): Promise<EventReceipt> {
  const read = readEvent(given)
  if ('problem' in read) return refused(read.problem)
  const { event } = read
  const { parentid: callId, to, subject } = event
  const named = runIn(to) ?? (to === undefined ? subject : undefined)
  const runId = ownRun ?? named
  if (callId === undefined) return refused('It has no "parentid": it answers nothing.')
  if (runId === undefined)
    return refused('It names no run: expected "to" to be the source of the event that it answers.')
  const place = { runId, callId }
  if (to !== undefined && to !== sourceOf(core.name, runId))
    return refused(`It is for ${JSON.stringify(to)}, and not for run "${runId}" of agent "${core.name}".`, place)
  const found = await callOf(core, runId, callId)
  if (found.call === undefined) return { ...found, ...place }
  const { call, sends } = found
  if (!areOfOneAgent(sends.source, sourceOf(core.name, runId)))
    return refused(`The event that it answers was sent by ${sends.source}, and not by agent "${core.name}".`, place)
  const problem = await misfitOf(core, event, call, sends)
  if (problem !== undefined) return refused(problem, place)
  const decision = eventDecision(event, callId, event.type === errorTypeOf(sends.type))
  const [receipt] = await storeFittingDecisions(core, runId, [decision])
  const { answer = 'unknown', message } = receipt ?? {}
  const told = answer === 'kept' ? 'applied' : answer
  return { answer: told, ...place, ...(message === undefined ? reasonOf(told) : { message }) }
}

function reasonOf(answer: EventReceipt['answer']): Pick<EventReceipt, 'message'> {
  return answer === 'duplicate' ? { message: 'An event with this source and id was processed before.' } : {}
}

function refused(message: string, place: Pick<EventReceipt, 'runId' | 'callId'> = {}): EventReceipt {
  return { answer: 'refused', ...place, message }
}

/** Returns the call that was sent to a service under an id, or a receipt if no call was. */
async function callOf({ store }: AgentCore, runId: string, callId: string) {
  const rows = await ifStored(store.calls(runId, [callId]))
  if (rows === undefined) return { answer: 'refused' as const, message: `No run "${runId}" is stored here.` }
  const call = rows.map(({ record }) => record).find((one) => one.callId === callId)
  const sends = call?.isSent === true ? call.suspension?.sends : undefined
  if (call !== undefined && sends !== undefined) return { call, sends }
  return { answer: 'unknown' as const, message: `Run "${runId}" has sent no event "${callId}".` }
}

async function misfitOf(
  { parts }: AgentCore,
  { type, contractversion, data = null }: ServiceEvent,
  call: CallRecord,
  sends: SentEvent,
): Promise<string | undefined> {
  const service = isPermissionHold(call)
    ? parts.permissions?.manager?.contract
    : (await parts.tools.find(call.toolName))?.service
  if (service === undefined) return `This agent no longer has the contract "${sends.type}".`
  const { version, emits } = service
  if (contractversion !== undefined && contractversion !== version)
    return `It is of version ${JSON.stringify(contractversion)} of the contract; expected "${version}".`
  if (type === errorTypeOf(sends.type)) return undefined
  const schema = Object.hasOwn(emits, type) ? emits[type] : undefined
  if (schema === undefined) {
    const known = [...Object.keys(emits), errorTypeOf(sends.type)].join(', ')
    return `Its type ${JSON.stringify(type)} does not answer "${sends.type}". Expected ${known}.`
  }
  const { issues } = await checkValue(schema, data)
  return issues === undefined ? undefined : `Its data does not fit "${type}":\n${issues}`
}
