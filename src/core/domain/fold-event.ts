import { defined } from './text/json.ts'
import type { CallRecord } from './call.ts'
import type { AgentEvent, MessageDelta } from './event.ts'
import { type AssistantMessage, textOf, toolCallsOf } from './message.ts'
import type { AnswerView, CallView, RunView } from './run-view.ts'
import { type TranscriptMessage, turnBehind } from './transcript-message.ts'
import { addUsage } from './usage.ts'

/** Returns the view after one more event, or the view itself if it knows the event by its number. */
export function foldEvent(view: RunView, event: AgentEvent): RunView {
  const { runId, subject, at, seq = 0 } = event
  if (seq > 0 && seq <= view.seq) return view
  return apply({ ...view, runId, subject, at, seq: Math.max(view.seq, seq) }, event)
}

function apply(view: RunView, event: AgentEvent): RunView {
  switch (event.type) {
    case 'run.started':
    case 'run.resumed':
      return running(view)
    case 'run.waiting': {
      const calls = event.suspended.reduce(withRecord, view.calls)
      return {
        ...withoutAnswer(view),
        status: 'waiting',
        outcome: { reason: 'suspended' },
        calls,
        suspended: event.suspended,
      }
    }
    case 'run.ended':
      return ended(view, event)
    case 'turn.started':
      return { ...running(view), turn: event.turn }
    case 'message.started':
      return { ...running(view), underWay: begun(event.turn) }
    case 'message.updated': {
      const { underWay = begun(event.turn) } = view
      return { ...view, underWay: grown(underWay, event.delta) }
    }
    case 'output.updated': {
      const { underWay = begun(event.turn) } = view
      return { ...view, underWay: { ...underWay, output: event.partial } }
    }
    case 'message.ended':
      return withMessage(view, { ...event.message, place: event.place }, event.turn)
    case 'toolExecution.started': {
      const { callId, arguments: given, attempt } = event
      const suspended = view.suspended.filter((call) => call.callId !== callId)
      return { ...changed(view, event, { status: 'running', arguments: given, attempt }), suspended }
    }
    case 'toolExecution.updated':
      return changed(view, event, { partial: event.partial })
    case 'progress.reported':
      return changed(view, event, { progress: event.text })
    case 'toolExecution.ended': {
      const { status, childRunId, retry } = event
      const child = childRunId === undefined ? {} : { childRunId }
      return changed(view, event, retry === undefined ? { status, ...child } : child)
    }
    case 'call.suspended': {
      const others = view.suspended.filter(({ callId }) => callId !== event.call.callId)
      const suspended = [...others, event.call].sort((left, right) => left.seq - right.seq)
      return { ...view, calls: withRecord(view.calls, event.call), suspended }
    }
    case 'call.settled': {
      const suspended = view.suspended.filter(({ callId }) => callId !== event.callId)
      return { ...view, calls: withRecord(view.calls, event), suspended }
    }
    case 'state.changed':
      return { ...view, state: event.state }
    case 'context.compacted':
      return event.summary === undefined ? view : withPaid(view, event.summary)
    case 'call.decided':
    case 'turn.ended':
    case 'hook.failed':
    case 'input.rejected':
    case 'context.partFailed':
    case 'context.drifted':
    case 'memory.failed':
    case 'calls.dropped':
    case 'options.ignored':
    case 'model.unpriced':
    case 'commit.delayed':
    case 'toolset.failed':
    case 'tool.leftOut':
    case 'permission.failed':
    case 'policy.broken':
    case 'decision.dropped':
    case 'plugin.conflict':
    case 'model.failed':
    case 'listener.failed':
    case 'branches.started':
    case 'branches.ended':
    case 'evaluation.failed':
      return view
  }
}

function running({ outcome: _, ...view }: RunView): RunView {
  return { ...view, status: 'running' }
}

function withoutAnswer({ underWay: _, ...view }: RunView): RunView {
  return view
}

function ended(view: RunView, event: Extract<AgentEvent, { readonly type: 'run.ended' }>): RunView {
  const { outcome, usage, cost, rejection, undelivered } = event
  return {
    ...withoutAnswer(view),
    status: 'done',
    outcome,
    suspended: [],
    text: lastAnswer(view.messages),
    usage,
    cost,
    ...defined({ rejection, undelivered }),
  }
}

function lastAnswer(messages: readonly TranscriptMessage[]): string {
  const answer = messages.findLast(({ role }) => role === 'assistant')
  return answer === undefined ? '' : textOf(answer)
}

function begun(turn: number): AnswerView {
  return { turn, text: '', thinking: '', toolCalls: [] }
}

function grown(answer: AnswerView, part: MessageDelta): AnswerView {
  if (part.type !== 'toolCall') return { ...answer, [part.type]: answer[part.type] + part.delta }
  const { id, name, delta } = part
  const last = answer.toolCalls.at(-1)
  const isSame = last?.id === id && last.name === name
  const before = isSame ? answer.toolCalls.slice(0, -1) : answer.toolCalls
  return { ...answer, toolCalls: [...before, { id, name, arguments: (isSame ? last.arguments : '') + delta }] }
}

/** Inserts a message at its place: usually at the end; a late one earlier; a repeated one replaces itself. */
function withMessage(view: RunView, told: TranscriptMessage, turn: number): RunView {
  const before = view.messages.findLastIndex(({ place }) => place < told.place)
  const isThere = view.messages[before + 1]?.place === told.place
  const message = { ...told, turn: turnIn(view.messages[before], told, turn) }
  const messages = view.messages.toSpliced(before + 1, isThere ? 1 : 0, message)
  if (told.role === 'assistant') {
    return withAnswer({ ...withoutAnswer(isThere ? view : withPaid(view, told)), messages }, told)
  }
  if (told.role !== 'toolResult') return { ...view, messages }
  return { ...changed(view, told, { result: told }), messages }
}

/**
 * Returns a message's turn by the message before it, as a reader of the store computes it. The first message has the
 * turn of its event, because a note may be emitted in the turn before its reader's.
 */
function turnIn(before: TranscriptMessage | undefined, { role }: TranscriptMessage, told: number): number {
  if (before !== undefined) return turnBehind(before, { role })
  return role === 'toolResult' ? told : Math.max(told, 1)
}

function withAnswer(view: RunView, answer: AssistantMessage): RunView {
  const turns = view.messages.filter(({ role }) => role === 'assistant').length
  const known = new Set(view.calls.map(({ callId }) => callId))
  const made = toolCallsOf(answer).flatMap(({ callId, id, name, arguments: given }): readonly CallView[] => {
    const call: CallView = { callId: callId ?? id, toolName: name, status: 'new', arguments: given, attempt: 0 }
    return known.has(call.callId) ? [] : [call]
  })
  return { ...view, turns, calls: [...view.calls, ...made] }
}

function withPaid(view: RunView, { usage, cost = 0 }: Pick<AssistantMessage, 'usage' | 'cost'>): RunView {
  return { ...view, usage: addUsage(view.usage, usage), cost: view.cost + cost }
}

type CallName = Pick<CallView, 'callId' | 'toolName'>

function changed(view: RunView, { callId, toolName }: CallName, news: Partial<CallView>): RunView {
  return { ...view, calls: withNews(view.calls, { callId, toolName }, news) }
}

function withNews(calls: readonly CallView[], name: CallName, news: Partial<CallView>): readonly CallView[] {
  const at = calls.findLastIndex(({ callId }) => callId === name.callId)
  const known: CallView = calls[at] ?? { ...name, status: 'new', arguments: {}, attempt: 0 }
  return at < 0 ? [...calls, { ...known, ...news }] : calls.with(at, { ...known, ...news })
}

/** The fields of a call in `run.waiting`, `call.suspended` or `call.settled`. */
type ToldCall = Pick<CallRecord, 'callId' | 'toolName' | 'status' | 'result' | 'editedArguments'> & {
  readonly arguments?: unknown
  readonly childRunId?: string
}

/** Applies a commit's state of a call, which ends the tool's progress reports. */
function withRecord(calls: readonly CallView[], record: ToldCall): readonly CallView[] {
  const { callId, toolName, status, result, editedArguments = record.arguments } = record
  const childRunId = record.childRunId ?? result?.childRunId
  const told = withNews(
    calls,
    { callId, toolName },
    {
      status,
      ...defined({ arguments: editedArguments, result, childRunId }),
    },
  )
  return told.map((call) => (call.callId === callId ? quiet(call) : call))
}

function quiet({ progress: _, partial: __, ...call }: CallView): CallView {
  return call
}
