import {
  argumentsOf,
  type CallRecord,
  type CallResult,
  failureMessage,
  lateResultNote,
  resultMessage,
  type StateChange,
  stepsOf,
} from '../domain/call.ts'
import { withoutUnawaited } from '../domain/background.ts'
import { type Json, jsonBytes, type Owned, owned } from '../domain/text/json.ts'
import { maxJsonBytes } from '../domain/text/json-limits.ts'
import type { ValueName, Write } from '../domain/log.ts'
import { type InputMessage, type Message, userMessage } from '../domain/message.ts'
import type { MarkedEvent } from '../domain/marked-event.ts'
import type { Notice } from '../domain/passing-event.ts'
import { withWarnings } from '../domain/payload.ts'
import { recalledNote } from '../domain/recalled.ts'
import { EngineError } from '../domain/engine-error.ts'
import type { RunView } from '../ports/effect-handler.ts'
import type { Change } from './change.ts'
import { cancelledItems } from '../domain/family-link.ts'
import { askedItems, cancelItems } from './outgoing-items.ts'
import { applyChanges } from './state-changes.ts'

/** The log that a write changes. */
export interface WrittenLog extends Pick<RunView, 'state' | 'messages' | 'message' | 'value' | 'inputAt' | 'said'> {
  requireCall(callId: string): CallRecord
  /** True if an answer follows the entry. */
  isReadByAnswer(seq: number): boolean
  append(message: Message, now: number, how?: { readonly prefixShare?: number | undefined }): void
  reserve(call: Omit<CallRecord, 'seq' | 'messageSeq' | 'status'>): void
  replace(call: CallRecord): void
  setState(state: Json, now: number): void
  setValue(name: ValueName, value: Json, now: number): void
  readonly change: Pick<Change, 'answered' | 'refused' | 'outgoing'>
  readonly marks: { add(event: MarkedEvent, now: number): void }
  publish(now: number): void
  publishResult(call: CallRecord, result: CallResult, now: number): void
}

/** Applies a write that a chart or an effect requests. `now` is the timestamp of the engine's own messages. */
export function applyWrite(log: WrittenLog, write: Write, now: number): void {
  switch (write.kind) {
    case 'append':
      return log.append(own(write.message), now, { prefixShare: write.prefixShare })
    case 'input': {
      appendAll(log, withWarnings(log.inputAt(write.from), write.warnings), now)
      const recalled = log.value('recalled')
      return recalled === undefined ? undefined : appendAll(log, recalledNote(recalled, now), now)
    }
    case 'said':
      return appendAll(log, log.said(write.said), now)
    case 'refused':
      return void log.change.refused.push(write.inboxId)
    case 'undelivered':
      return log.setValue('undelivered', own(write.said.flatMap((head) => log.said(head)) as unknown as Json), now)
    case 'note':
      return log.append(userMessage(write.text, now), now)
    case 'failure':
      return log.append(failureMessage(write.error, now), now)
    case 'reserve':
      return log.reserve(own(write.call))
    case 'call': {
      const call = { ...log.requireCall(write.callId), ...own(write.patch) }
      if (write.patch.status === 'cancelled')
        log.change.outgoing.push(...cancelItems(call, now), ...cancelledItems(call))
      return log.replace(call)
    }
    case 'step': {
      const call = log.requireCall(write.callId)
      const done = [...stepsOf(call), own(write.step)]
      return log.replace({ ...call, steps: { revision: call.revision, done } })
    }
    case 'suspension': {
      const { definition, ...call } = log.requireCall(write.callId)
      if (call.suspension?.id === write.suspension.id) return sendEvent(log, call, now)
      const isAsked = definition !== undefined && write.suspension.reason === 'approval'
      return log.replace({ ...call, suspension: { ...own(write.suspension), ...(isAsked ? { definition } : {}) } })
    }
    case 'result': {
      const call = log.requireCall(write.callId)
      return log.replace({ ...call, result: resultMessage(call, write.text, 'error', now, write.code) })
    }
    case 'amend':
      return amend(log, write.callId, write.text)
    case 'tellLateResult':
      return tellLateResult(log, write.callId, now)
    case 'keptDecision':
      return void log.change.answered.push({ id: write.inboxId, suspensionId: write.suspensionId })
    case 'applyPatch':
      return applyPatch(log, write.callId, now)
    case 'state':
      return setState(log, own(write.changes), now)
    case 'notice':
      return noteNotice(log, write.event, now)
    case 'value':
      return log.setValue(write.name, own(write.value), now)
  }
}

/** Sends the event of a call to a service once. */
function sendEvent(log: WrittenLog, suspended: CallRecord, now: number): void {
  if (suspended.suspension?.sends === undefined || suspended.isSent === true) return
  const call: CallRecord = { ...suspended, isSent: true }
  log.change.outgoing.push(...askedItems(call, argumentsOf(call, log), now))
  log.replace(call)
}

/** Leaves out the run and the time, which the entry adds. */
function noteNotice(log: WrittenLog, { runId: _, at: __, ...event }: Notice, now: number): void {
  log.marks.add(own(event as unknown as Json) as unknown as MarkedEvent, now)
}

function appendAll(log: WrittenLog, messages: readonly InputMessage[], now: number): void {
  for (const message of withoutUnawaited(() => log.messages(), messages)) log.append(own(message), now)
}

function amend(log: WrittenLog, callId: string, text: string): void {
  const call = log.requireCall(callId)
  if (call.result === undefined) return
  log.replace({ ...call, result: { ...call.result, content: [...call.result.content, { type: 'text', text }] } })
}

/**
 * Publishes a late result after the waiting results, with a note about it. A placeholder that no answer has followed
 * was not read: the result then takes its slot, and is published with its round.
 */
function tellLateResult(log: WrittenLog, callId: string, now: number): void {
  const late = log.requireCall(callId)
  const { placeholder: _, ...call } = late
  if (call.result === undefined) return
  if (!log.isReadByAnswer(call.seq)) return log.replace(call)
  log.publish(now)
  log.publishResult(late, call.result, now)
  log.append(lateResultNote(call, now), now)
}

function applyPatch(log: WrittenLog, callId: string, now: number): void {
  const { patch, ...call } = log.requireCall(callId)
  if (patch === undefined) return
  log.replace(call)
  setState(log, patch, now)
}

function setState(log: WrittenLog, changes: readonly StateChange[], now: number): void {
  const state = applyChanges(log.state, changes)
  if (jsonBytes(state) <= maxJsonBytes) return log.setState(state, now)
  throw new EngineError(`The state of a run would have more than ${maxJsonBytes} bytes of JSON. Keep less in it.`)
}

/** Returns an owned copy of a value. Throws if it is not JSON, which is a defect of the code that passed it. */
export function own<Value>(value: Value): Owned<Value> {
  const taken = owned(value)
  if (taken === undefined) throw new EngineError('The log of a run was handed a value that is not JSON.')
  return taken
}
