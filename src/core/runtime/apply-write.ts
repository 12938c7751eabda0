import {
  argumentsOf,
  type CallRecord,
  failureMessage,
  lateResultNote,
  resultMessage,
  type StateChange,
  stepsOf,
} from '../domain/call.ts'
import { type Json, jsonBytes, type Owned, owned } from '../domain/text/json.ts'
import { maxJsonBytes } from '../domain/text/json-limits.ts'
import type { ValueName, Write } from '../domain/log.ts'
import { type InputMessage, type Message, userMessage } from '../domain/message.ts'
import type { Notice } from '../domain/passing-event.ts'
import { type InputPlace, type SaidHead, withWarnings } from '../domain/payload.ts'
import { recalledNote } from '../domain/recalled.ts'
import { EngineError } from '../domain/engine-error.ts'
import type { OutgoingItem } from '../domain/outgoing.ts'
import { askedItems, cancelItems } from './outgoing-items.ts'
import { applyChanges } from './state-changes.ts'

/** The log that a write changes. */
export interface WrittenLog {
  readonly state: Json
  requireCall(callId: string): CallRecord
  /** True where an answer stands behind the entry. */
  isReadByAnswer(seq: number): boolean
  append(message: Message, replaces?: number, prefixShare?: number): void
  reserve(call: Omit<CallRecord, 'seq' | 'messageSeq' | 'status'>): void
  replace(call: CallRecord): void
  setState(state: Json): void
  setValue(name: ValueName, value: Json): void
  value(name: ValueName): Json | undefined
  noteAnswered(id: number, suspensionId: string): void
  noteRefused(inboxId: number): void
  inputAt(place: InputPlace): readonly InputMessage[]
  said(head: SaidHead): readonly InputMessage[]
  message(seq: number): Message | undefined
  leave(items: readonly OutgoingItem[]): void
  notice(event: Notice): void
  /** Has a message told that stands in the log already. */
  tell(seq: number, message: Message): void
}

/** Carries out one thing a chart or an effect asks to have written; `now` stamps messages of the engine's own. */
export function applyWrite(log: WrittenLog, write: Write, now: number): void {
  switch (write.kind) {
    case 'append':
      return log.append(own(write.message), write.replaces, write.prefixShare)
    case 'input': {
      appendAll(log, withWarnings(log.inputAt(write.from), write.warnings))
      const recalled = log.value('recalled')
      return recalled === undefined ? undefined : appendAll(log, recalledNote(recalled, now))
    }
    case 'said':
      return appendAll(log, log.said(write.said))
    case 'refused':
      return log.noteRefused(write.inboxId)
    case 'undelivered':
      return log.setValue('undelivered', own(write.said.flatMap((head) => log.said(head)) as unknown as Json))
    case 'note':
      return log.append(userMessage(write.text, now))
    case 'failure':
      return log.append(failureMessage(write.error, now))
    case 'reserve':
      return log.reserve(own(write.call))
    case 'call': {
      const call = { ...log.requireCall(write.callId), ...own(write.patch) }
      if (write.patch.status === 'cancelled') log.leave(cancelItems(call, now))
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
      return log.noteAnswered(write.inboxId, write.suspensionId)
    case 'applyPatch':
      return applyPatch(log, write.callId)
    case 'state':
      return setState(log, own(write.changes))
    case 'notice':
      return log.notice(own(write.event as unknown as Json) as unknown as Notice)
    case 'value':
      return log.setValue(write.name, own(write.value))
  }
}

/** The event of a call that is suspended for its service leaves once. */
function sendEvent(log: WrittenLog, suspended: CallRecord, now: number): void {
  if (suspended.suspension?.sends === undefined || suspended.isSent === true) return
  const call: CallRecord = { ...suspended, isSent: true }
  log.leave(askedItems(call, argumentsOf(call, log), now))
  log.replace(call)
}

function appendAll(log: WrittenLog, messages: readonly InputMessage[]): void {
  for (const message of messages) log.append(own(message))
}

function amend(log: WrittenLog, callId: string, text: string): void {
  const call = log.requireCall(callId)
  if (call.result === undefined) return
  log.replace({ ...call, result: { ...call.result, content: [...call.result.content, { type: 'text', text }] } })
}

/**
 * The result is told again as a record of its own, and a note points at it; where no answer
 * has followed, nobody has read the placeholder and the result takes its slot.
 */
function tellLateResult(log: WrittenLog, callId: string, now: number): void {
  const { placeholder: _, ...call } = log.requireCall(callId)
  if (call.result === undefined) return
  if (!log.isReadByAnswer(call.seq)) {
    log.replace(call)
    log.tell(call.seq, call.result)
    return
  }
  log.append(call.result, call.seq)
  log.append(lateResultNote(call, now))
}

function applyPatch(log: WrittenLog, callId: string): void {
  const { patch, ...call } = log.requireCall(callId)
  if (patch === undefined) return
  log.replace(call)
  setState(log, patch)
}

function setState(log: WrittenLog, changes: readonly StateChange[]): void {
  const state = applyChanges(log.state, changes)
  if (jsonBytes(state) <= maxJsonBytes) return log.setState(state)
  throw new EngineError(`The state of a run would have more than ${maxJsonBytes} bytes of JSON. Keep less in it.`)
}

/** What is no JSON is a defect of whoever handed it in. */
export function own<Value>(value: Value): Owned<Value> {
  const taken = owned(value)
  if (taken === undefined) throw new EngineError('The log of a run was handed a value that is not JSON.')
  return taken
}
