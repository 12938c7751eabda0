import { isDeepStrictEqual } from 'node:util'
import type { CallRecord } from '../../src/domain/call.ts'
import type { Decision } from '../../src/domain/decision.ts'
import { runId } from '../../test/support/world.ts'
import type { Aim, Command, Verb } from './commands.ts'
import { allowedAnswers, type Desk } from './receipts.ts'
import type { Stage } from './stage.ts'

type Decide = Extract<Command, { do: 'decide' }>

/** Carries out one command and lets everything that follows from it happen. */
export async function perform(command: Command, stage: Stage): Promise<void> {
  switch (command.do) {
    case 'finish': {
      const open = stage.bench.open(stage.life)
      open[command.nth % open.length]?.end(command.outcome)
      break
    }
    case 'reply':
      stage.model.release()
      break
    case 'decide':
      await decide(command, stage)
      break
    case 'cancelCall': {
      const { calls } = await deskOf(stage)
      const target = aimed(command.aim, command.nth, calls)?.callId ?? '9.z'
      await stage.desk.cancelCall(target, command.nth === 0 ? 'enough' : undefined)
      break
    }
    case 'cancel':
      await stage.desk.cancel()
      break
    case 'advance':
      stage.clock.advance(command.ms)
      break
    case 'crash':
      await stage.drive()
      if (command.writes > 0) stage.life.arm(command.writes, command.side)
      else stage.die()
      break
    case 'leave':
      await stage.leave()
      break
    case 'drive':
      await stage.drive()
      break
  }
  await stage.quiet()
}

async function decide(command: Decide, stage: Stage): Promise<void> {
  const before = await deskOf(stage)
  const items = itemsOf(command, before, stage)
  const allowed = allowedAnswers(items, before)
  const receipts = await stage.desk.decide(items)
  const answers = receipts.map(({ answer }) => answer)
  const isRight = answers.length === items.length && answers.every((answer, at) => allowed[at]?.includes(answer))
  if (!isRight) {
    const sent = JSON.stringify(items)
    stage.faults.push(`decide ${sent} was answered ${answers.join(', ')} instead of ${allowed.join('; ')}`)
  }
  const stored = answers.filter((answer) => answer === 'applied' || answer === 'kept').length
  const after = await deskOf(stage)
  if (after.decisions.length !== before.decisions.length + stored) {
    stage.faults.push(`answers ${answers.join(', ')} stored ${after.decisions.length - before.decisions.length} rows`)
  }
  if (stored === 0 && !isDeepStrictEqual(after.calls, before.calls))
    stage.faults.push('a refused decision changed calls')
}

function itemsOf({ verb, aim, nth, by, isNamed }: Decide, { calls, decisions }: Desk, stage: Stage): Decision[] {
  const call = aimed(aim, nth, calls)
  const target = targetOf(call, aim, by, nth, stage)
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

function targetOf(call: CallRecord | undefined, aim: Aim, by: Decide['by'], nth: number, stage: Stage): string {
  if (aim === 'past') return [...stage.board.suspensions.keys()][nth] ?? 'sus_none'
  if (call === undefined) return aim === 'future' ? `${stage.model.asked + 1}.a` : 'nobody'
  if (by === 'provider') return call.toolCallId
  return by === 'suspension' ? (call.suspension?.id ?? call.callId) : call.callId
}

/** What a store knows of calls and answers. */
export async function deskOf({ store, clock }: Stage): Promise<Desk> {
  const rows = await store.calls(runId)
  const decisions = await store.decisions(runId)
  return {
    calls: rows.map(({ record }) => record),
    decisions: decisions.flatMap(({ item }) => (item.kind === 'decision' ? item.decision : [])),
    now: clock.now(),
  }
}
