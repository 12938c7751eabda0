import type { CallRecord } from '../../core/domain/call.ts'
import type { StoredEvent } from '../../core/domain/event.ts'
import { eventOf } from '../../core/domain/event-of.ts'
import { type InboxRow, saidIn, type StoredDecision } from '../../core/domain/inbox.ts'
import { type AssistantMessage, type Content, type Message, textOf } from '../../core/domain/message.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { Store } from '../../core/ports/store.ts'
import { type CallFacts, factsIn } from './call-facts.ts'
import type { RecordedAnswer, RecordedDecision, RecordedMessage, RecordedResult, Recording } from './recording.ts'

/** The suspension reasons that a replay does not bring about: its model answers, its sub-agents end, and no process dies. */
const absent: ReadonlySet<string> = new Set(['interrupted', 'subAgent', 'model_unavailable', 'limit'])

/** A stored run: everything that it received, and the outcome of its calls. */
export interface ReadRun {
  readonly recording: Recording
  readonly facts: CallFacts
}

/**
 * Reads a stored run that waits or is done. Rejects with a `UsageError` `run_busy` for a run under way, and
 * `bad_option` for a run whose permission manager or plugin held it.
 */
export async function readRun(store: Store, runId: string): Promise<ReadRun> {
  const [{ record, log }, events, calls, rows] = await Promise.all([
    store.read(runId),
    eventsOf(store, runId),
    store.calls(runId),
    store.inbox(runId),
  ])
  const { status, doneReason, code } = record
  if (status === 'running' || doneReason === undefined)
    throw new UsageError('run_busy', `Run ${JSON.stringify(runId)} is under way. Read it once it waits or is done.`)
  const own = new Set(events.flatMap((event) => (event.type === 'message.ended' ? [event.place] : [])))
  const answers = log.flatMap((entry) =>
    entry.kind === 'message' && own.has(entry.seq) ? answerIn(entry.message) : [],
  )
  const ids = numbered(answers)
  const known = calls.flatMap(({ record: call }) => (call.isHold === true ? [] : [call]))
  refuseHeld(runId, events)
  const idOf = (callId: string) => ids.get(callId) ?? callId
  const recording: Recording = {
    prompt: promptIn(events),
    answers: answers.map(recordedAnswer),
    results: Object.fromEntries(
      known.flatMap((call) => resultOf(call, idOf(call.callId), asksOf(events, call.callId))),
    ),
    decisions: decisionsIn(events, rows, idOf),
    said: saidTo(events, rows),
    ends: {
      reason: doneReason,
      ...(code === undefined ? {} : { code }),
      calls: Object.fromEntries(known.map((call) => [idOf(call.callId), call.status])),
    },
  }
  return { recording, facts: factsIn(events, idOf) }
}

/** Reads every event of a run. */
export async function eventsOf(store: Store, runId: string): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let after = 0; ;) {
    const entries = await store.entries(runId, after, 1000)
    events.push(...entries.flatMap((entry) => eventOf(entry, { runId, subject: runId }) ?? []))
    const last = entries.at(-1)
    if (last === undefined) return events
    after = last.seq
  }
}

function answerIn(message: Message): readonly AssistantMessage[] {
  return message.role === 'assistant' && message.stopReason !== 'error' ? [message] : []
}

/** Returns the call ids of a replay, whose answers are counted from 1, by the call ids of the run. */
function numbered(answers: readonly AssistantMessage[]): ReadonlyMap<string, string> {
  return new Map(
    answers.flatMap(({ content }, index) =>
      content.flatMap((block) => {
        if (block.type !== 'toolCall' || block.callId === undefined) return []
        const { callId } = block
        return [[callId, `${index + 1}${callId.slice(callId.indexOf('.'))}`] as const]
      }),
    ),
  )
}

function recordedAnswer({ content }: AssistantMessage): RecordedAnswer {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  const calls = content.flatMap((block: Content) =>
    block.type === 'toolCall' ? [{ id: block.id, name: block.name, arguments: block.arguments }] : [],
  )
  return { ...(text === '' ? {} : { text }), ...(calls.length === 0 ? {} : { calls }) }
}

/** Returns the user's words before the first turn. */
function promptIn(events: readonly StoredEvent[]): string {
  const first = events.findIndex(({ type }) => type === 'turn.started')
  return events
    .slice(0, first)
    .flatMap((event) =>
      event.type === 'message.ended' && event.message.role === 'user' ? [textOf(event.message)] : [],
    )
    .join('\n\n')
}

/** Returns the number of times that the tool itself asked; a rule that asks names itself or the tool's definition. */
function asksOf(events: readonly StoredEvent[], callId: string): number {
  return events.filter((event) => {
    if (event.type !== 'call.suspended' || event.call.callId !== callId) return false
    const { reason, definition, rule } = event.call.suspension ?? {}
    return (reason === 'input' || reason === 'approval') && definition === undefined && rule === undefined
  }).length
}

function resultOf(
  { status, result }: CallRecord,
  id: string,
  asks: number,
): readonly (readonly [string, RecordedResult])[] {
  if (result === undefined || status === 'cancelled') return []
  const code = result.code === undefined ? {} : { code: result.code }
  return [[id, { status: result.status, text: textOf(result), ...code, ...(asks === 0 ? {} : { asks }) }]]
}

/** Returns the decisions, without those about waits that a replay does not have. */
function decisionsIn(
  events: readonly StoredEvent[],
  rows: readonly InboxRow[],
  idOf: (callId: string) => string,
): readonly RecordedDecision[] {
  const stored = new Map(
    rows.flatMap(({ item }) => (item.kind === 'decision' ? [[item.decision.decisionId, item.decision]] : [])),
  )
  const reasons = new Map(
    events.flatMap((event) =>
      event.type === 'call.suspended' && event.call.suspension !== undefined
        ? [[event.call.suspension.id, event.call.suspension.reason] as const]
        : [],
    ),
  )
  return events.flatMap((event) => {
    if (event.type !== 'call.decided') return []
    const reason = reasons.get(event.suspensionId ?? '')
    const decision = stored.get(event.decisionId)
    if (decision === undefined || (reason !== undefined && absent.has(reason))) return []
    return [{ ...recordedDecision(decision, idOf), ...(reason === 'service' ? { service: true as const } : {}) }]
  })
}

function recordedDecision(decision: StoredDecision, idOf: (callId: string) => string): RecordedDecision {
  const { callId, action, mode, input, result, reason, scope, by } = decision
  return {
    call: idOf(callId),
    action,
    ...(mode === undefined ? {} : { mode }),
    ...(input === undefined ? {} : { input }),
    ...(result === undefined ? {} : { result }),
    ...(reason === undefined ? {} : { reason }),
    ...(scope === undefined ? {} : { scope }),
    ...(by === undefined ? {} : { by }),
  }
}

function saidTo(events: readonly StoredEvent[], rows: readonly InboxRow[]): readonly RecordedMessage[] {
  const first = events.find((event) => event.type === 'turn.started')?.turn ?? 1
  const turns = new Map(
    events.flatMap((event) =>
      event.type === 'message.ended' && event.message.role === 'user' ? [[textOf(event.message), event.turn]] : [],
    ),
  )
  return rows.flatMap((row) => {
    const { item } = row
    if (item.kind !== 'steer' && item.kind !== 'followUp') return []
    return saidIn(row).flatMap((message) => {
      const text = textOf(message)
      const turn = turns.get(text)
      return turn === undefined ? [] : [{ kind: item.kind, text, turn: turn - first + 1 }]
    })
  })
}

function refuseHeld(runId: string, events: readonly StoredEvent[]): void {
  for (const event of events) {
    if (event.type !== 'call.suspended') continue
    const { isHold, suspension } = event.call
    if (isHold !== true || absent.has(suspension?.reason ?? '')) continue
    const wish = 'A run that its permission manager or a plugin held cannot be recorded.'
    throw new UsageError(
      'bad_option',
      `Run ${JSON.stringify(runId)} waited with the reason ${suspension?.reason}. ${wish}`,
    )
  }
}
