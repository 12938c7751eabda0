import { isDeepStrictEqual } from 'node:util'
import { type CallRecord, isTerminal } from '../../src/core/domain/call.ts'
import type { Decision } from '../../src/core/domain/decision.ts'
import type { InboxItem } from '../../src/core/domain/inbox.ts'
import { UsageError } from '../../src/core/domain/text/usage-error.ts'
import type { Said } from '../../src/testing/crash/said.ts'
import { textIn, type Tone } from './spoken.ts'
import type { Aim, Command, Verb } from './commands.ts'
import { allowedAnswers, type DecisionFacts } from './allowed-answers.ts'
import { isKnown } from './played-run.ts'
import type { SequenceHarness } from './sequence-harness.ts'

type Decide = Extract<Command, { do: 'decide' }>

/** Carries out one command and lets everything that follows from it happen. */
export async function performCommand(command: Command, harness: SequenceHarness): Promise<void> {
  switch (command.do) {
    case 'finish': {
      const open = harness.watched.open(harness.mortal)
      open[command.nth % open.length]?.end(command.outcome)
      break
    }
    case 'reply':
      harness.model.release()
      break
    case 'decide':
      await decide(command, harness)
      break
    case 'cancelCall': {
      const { calls } = await factsOf(harness)
      const target = aimed(command.aim, command.nth, calls)?.callId ?? '9.z'
      await cancelCall(target, command.nth === 0 ? 'enough' : undefined, harness)
      break
    }
    case 'cancel':
      await cancel(harness)
      break
    case 'say':
      await say(command.kind, command.tone, harness)
      break
    case 'prompt':
      await refusePrompt(harness)
      break
    case 'advance':
      harness.clock.advance(command.ms)
      break
    case 'crash':
      await harness.drive()
      if (command.writes > 0) harness.mortal.arm({ write: command.writes, side: command.side })
      else harness.die()
      break
    case 'leave':
      await harness.leave()
      break
    case 'drive':
      await harness.drive()
      break
  }
  await harness.quiet()
}

async function cancel(harness: SequenceHarness): Promise<void> {
  const { status } = await harness.store.record(harness.runId)
  const isStored = await holds(harness, ({ kind }) => kind === 'cancel')
  const due = status === 'done' ? 'stale' : isStored ? 'duplicate' : 'applied'
  const { answer } = await harness.decider.cancel()
  if (answer !== due) harness.faults.push(`a cancel was answered ${answer} instead of ${due}`)
  if (answer === 'applied') harness.played.isCancelled = true
}

/** What is said to a run that has not ended is taken, in this order; after its end it is refused. */
async function say(kind: Said['kind'], tone: Tone, harness: SequenceHarness): Promise<void> {
  const { status } = await harness.store.record(harness.runId)
  const number = harness.said.length + 1
  const isNote = kind === 'extension'
  const text = isNote ? `note ${number}` : textIn(tone, `${kind} ${number}`)
  const isTaken = await isSaid(kind, text, number, harness)
  if (isTaken) harness.said.push({ kind, text, tone: isNote ? 'plain' : tone })
  if (isTaken !== (status !== 'done'))
    harness.faults.push(`"${text}" was ${isTaken ? 'taken' : 'refused'} by a run that is ${status}`)
}

async function isSaid(
  kind: Said['kind'],
  text: string,
  number: number,
  { decider }: SequenceHarness,
): Promise<boolean> {
  if (kind === 'extension') return (await decider.append('note', number)).answer === 'applied'
  return (await decider[kind](text)).answer === 'applied'
}

/** A run that has not ended takes no prompt, says so by its stored status, and no other run is begun. */
async function refusePrompt({ store, runId, nextId, decider, faults }: SequenceHarness): Promise<void> {
  const { status } = await store.record(runId)
  if (status === 'done') return
  const due = status === 'running' ? 'run_busy' : 'run_waiting'
  const answer = await decider.prompt('More', { runId: nextId }).then(
    () => 'taken',
    (error: unknown) => (error instanceof UsageError ? error.code : String(error)),
  )
  if (answer !== due) faults.push(`a prompt to a run that is ${status} was answered ${answer} instead of ${due}`)
  if (await isKnown(nextId, store)) faults.push(`a prompt that was answered ${answer} began a run`)
}

async function cancelCall(target: string, reason: string | undefined, harness: SequenceHarness): Promise<void> {
  const { calls } = await factsOf(harness)
  const call = calls.find(({ callId }) => callId === target)
  const isStored = await holds(harness, (item) => item.kind === 'cancelCall' && item.callId === target)
  const due = call === undefined ? 'unknown' : isTerminal(call.status) ? 'stale' : isStored ? 'duplicate' : 'applied'
  const { answer } = await harness.decider.cancelCall(target, reason)
  if (answer !== due) harness.faults.push(`a cancel of ${target} was answered ${answer} instead of ${due}`)
}

async function holds({ store, runId }: SequenceHarness, isMeant: (item: InboxItem) => boolean): Promise<boolean> {
  return (await store.inbox(runId, { isOpen: true })).some(({ item }) => isMeant(item))
}

async function decide(command: Decide, harness: SequenceHarness): Promise<void> {
  const before = await factsOf(harness)
  const items = itemsOf(command, before, harness)
  const allowed = allowedAnswers(items, before)
  const receipts = await harness.decider.decide(items)
  const answers = receipts.map(({ answer }) => answer)
  const isRight = answers.length === items.length && answers.every((answer, at) => allowed[at]?.includes(answer))
  if (!isRight) {
    const sent = JSON.stringify(items)
    harness.faults.push(`decide ${sent} was answered ${answers.join(', ')} instead of ${allowed.join('; ')}`)
  }
  const stored = answers.filter((answer) => answer === 'applied' || answer === 'kept').length
  const after = await factsOf(harness)
  if (after.decisions.length !== before.decisions.length + stored) {
    harness.faults.push(`answers ${answers.join(', ')} stored ${after.decisions.length - before.decisions.length} rows`)
  }
  if (stored === 0 && !isDeepStrictEqual(after.calls, before.calls))
    harness.faults.push('a refused decision changed calls')
}

function itemsOf(
  { verb, aim, nth, by, isNamed }: Decide,
  { calls, decisions }: DecisionFacts,
  harness: SequenceHarness,
): Decision[] {
  const call = aimed(aim, nth, calls)
  const target = targetOf(call, aim, by, nth, harness)
  const named = isNamed ? { decisionId: 'same' } : {}
  const last = decisions.at(-1)
  if (verb === 'again' && last !== undefined) {
    const { callId, suspensionId, at: _, target: meant, ...rest } = last
    return [{ ...rest, target: by === 'suspension' ? (suspensionId ?? callId) : meant }]
  }
  const item = { target, ...payloadOf(verb), ...named }
  if (verb === 'twice') return [item, item]
  const other: Decision = { target: by === 'suspension' ? (call?.callId ?? target) : target, action: 'cancel' }
  return verb === 'contrary' ? [item, other] : [item]
}

function payloadOf(verb: Verb): Omit<Decision, 'target'> {
  switch (verb) {
    case 'approve':
    case 'again':
    case 'contrary':
    case 'twice':
      return { action: 'resume' }
    case 'deny':
      return { action: 'cancel', reason: 'not now' }
    case 'respond':
      return { action: 'resume', mode: 'use-as-result', result: 0 }
    case 'edit':
      return { action: 'resume', input: { n: 2 } }
    case 'pass':
      return { action: 'resume', mode: 'pass-to-tool', result: { n: 3 } }
    case 'misfit':
      return { action: 'resume', input: { n: 'many' } }
    case 'misshapen':
      return { action: 'maybe' as 'resume' }
  }
}

function aimed(aim: Aim, nth: number, calls: readonly CallRecord[]): CallRecord | undefined {
  const meant = aim === 'any' ? calls : aim === 'suspended' ? calls.filter(({ status }) => status === 'suspended') : []
  return meant[nth % meant.length]
}

function targetOf(
  call: CallRecord | undefined,
  aim: Aim,
  by: Decide['by'],
  nth: number,
  harness: SequenceHarness,
): string {
  if (aim === 'past') return [...harness.observer.suspensions.keys()][nth] ?? 'sus_none'
  if (call === undefined) return aim === 'future' ? `${harness.model.asked + 1}.a` : 'nobody'
  if (by === 'provider') return call.toolCallId
  return by === 'suspension' ? (call.suspension?.id ?? call.callId) : call.callId
}

/** The store's knowledge of calls and answers. */
export async function factsOf({ store, clock, runId }: SequenceHarness): Promise<DecisionFacts> {
  const rows = await store.calls(runId)
  const decisions = await store.inbox(runId, { kinds: ['decision'] })
  const inbox = await store.inbox(runId, { isOpen: true })
  return {
    calls: rows.map(({ record }) => record),
    decisions: decisions.flatMap(({ item }) => (item.kind === 'decision' ? item.decision : [])),
    cancelled: inbox.flatMap(({ item }) => (item.kind === 'cancelCall' ? item.callId : [])),
    now: clock.now(),
  }
}
