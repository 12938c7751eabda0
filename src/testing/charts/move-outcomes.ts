import type { CallPlan, SuspensionHead } from '../../core/domain/call-plan.ts'
import type { DecisionHead } from '../../../machines/tool-call/tool-call.types.ts'
import { noUsage } from '../../core/domain/usage.ts'
import { rowOf, saidText } from './said-payloads.ts'
import type { Configuration, Move, OpenEffect } from './exploration-types.ts'

/** The data that makes abstract outcomes concrete. */
export interface OutcomeSource {
  readonly configuration: Configuration
  /** Returns the number of suspensions that a call has had. */
  suspensions(callId: string): number
  /** Unix milliseconds of the move. */
  readonly at: number
}

/** Returns the id of a call's n-th suspension in an exploration. */
function suspensionId(callId: string, count: number): string {
  return `${callId}/s${count}`
}

/** Returns the output of an effect that ends with an abstract outcome. */
export function outputOf(effect: OpenEffect, outcome: string, observed: OutcomeSource): unknown {
  switch (effect.src) {
    case 'callModel':
      return attempted(effect, outcome, observed)
    case 'refreshCredentials':
      return outcome === 'refreshed' ? { kind: 'refreshed' } : { kind: 'failed', error: noCredentials, at: observed.at }
    case 'compactPrompt':
      return { kind: outcome }
    case 'summarise':
      return { usage: { ...noUsage, totalTokens: 10 }, cost: 1, at: observed.at }
    case 'gateCall':
      return { ...verdict(effect, outcome, observed), gated: true }
    case 'gateReplay':
      return {
        verdict: verdict(effect, outcome === 'edited' ? 'allowed' : outcome, observed),
        revision: (effect.input as { revision: number }).revision + (outcome === 'edited' ? 1 : 0),
      }
    case 'runTool':
      return performed(effect, outcome, observed)
    case 'ask':
      return { ...phaseVerdict(outcome, observed), ...(outcome === 'held' ? { holds: [holdPlan(observed)] } : {}) }
    case 'filterInput':
      return filtered(outcome, observed)
    case 'buildContext':
      return { isBuilt: outcome === 'replaced', at: observed.at }
    case 'holdRun':
      return { holds: [holdPlan(observed)], at: observed.at }
    case 'askManager':
      return managerVerdict(effect, outcome, observed)
    case 'recall':
    case 'keepTime':
      return { at: observed.at }
    default:
      return undefined
  }
}

/** Returns the calls that a model turn asks for in a configuration. */
export function callsOfTurn({ turns }: Configuration, turn: number): readonly CallPlan[] {
  return turns[turn - 1] ?? []
}

/** The time at which a failed tool is retried, in Unix milliseconds. */
export const retriedAt = 3

function filtered(outcome: string, { at }: OutcomeSource): unknown {
  if (outcome === 'rejected') return { warnings: [], rejection: { filter: 'f', reason: 'No.' }, at }
  return { warnings: outcome === 'warned' ? ['Careful.'] : [], at }
}

const overflowed = { code: 'context_overflow', message: 'Too long.' }
const refusedRequest = { code: 'api_error', message: 'Bad request.' }
const unauthorized = { code: 'auth_error', message: 'Unauthorized.' }
const usedUp = { code: 'max_cost' as const, message: 'Used up.' }
const noCredentials = { code: 'auth_error', message: 'No credentials.' }

function attempted({ input }: OpenEffect, outcome: string, { configuration, at }: OutcomeSource): unknown {
  const { turn, continuations } = input as { turn: number; continuations: number }
  switch (outcome) {
    case 'truncated':
      return { kind: 'truncated', parts: continuations + 1 }
    case 'outgrown':
      return { kind: 'outgrown' }
    case 'refused':
      return { kind: 'refused', reason: 'No.', usage: { ...noUsage, totalTokens: 10 }, cost: 1, at }
    case 'exhausted':
      return { kind: 'failed', error: usedUp, retryAt: null, limit: usedUp.code, at }
    case 'asking':
      return { kind: 'failed', error: usedUp, retryAt: null, limit: usedUp.code, isAsked: true, at }
    case 'busy':
      return { kind: 'failed', error: { code: 'rate_limit', message: 'Busy.' }, retryAt: 1, at }
    case 'broken':
      return { kind: 'failed', error: { code: 'api_error', message: 'Broken.' }, retryAt: null, at }
    case 'overflowed':
      return { kind: 'failed', error: overflowed, retryAt: null, isOverflow: true, at }
    case 'mediaRefused':
      return { kind: 'failed', error: refusedRequest, retryAt: null, refusal: 'No picture.', at }
    case 'unauthorized':
      return { kind: 'failed', error: unauthorized, retryAt: null, isRefreshable: true, isMendable: true, at }
    default: {
      const calls = outcome === 'calls' ? callsOfTurn(configuration, turn) : []
      return {
        kind: 'answered',
        answer: {
          seq: turn,
          calls,
          dropped: [],
          ...misfits[outcome],
          usage: { ...noUsage, totalTokens: 10 },
          cost: 1,
          at,
        },
      }
    }
  }
}

const misfits: Readonly<Record<string, object>> = {
  unfit: { misfit: { kind: 'issues', text: 'wrong' } },
  spoiled: { misfit: { kind: 'broken', error: { code: 'output_failed', message: 'Spoiled.' } } },
}

function verdict({ owner }: OpenEffect, outcome: string, observed: OutcomeSource): Record<string, unknown> {
  switch (outcome) {
    case 'refused':
      return { kind: 'refused', text: 'Blocked.' }
    case 'supplied':
      return { kind: 'supplied', status: 'succeeded' }
    case 'suppliedBadly':
      return { kind: 'supplied', status: 'failed' }
    case 'suspended':
      return { kind: 'suspended', suspension: suspension(owner, observed) }
    default:
      return { kind: 'allowed' }
  }
}

function performed({ owner }: OpenEffect, outcome: string, observed: OutcomeSource): Record<string, unknown> {
  const { at } = observed
  switch (outcome) {
    case 'suspended':
      return { status: 'suspended', suspension: suspension(owner, observed), at }
    case 'failed':
      return { status: 'failed', resultHash: 'bad', at }
    case 'retried':
      return { status: 'failed', retryAt: retriedAt, at }
    case 'patched':
      return { status: 'succeeded', resultHash: 'good', paths: ['total'], at }
    default:
      return { status: 'succeeded', resultHash: 'good', at }
  }
}

function suspension(callId: string, { configuration, suspensions }: OutcomeSource): SuspensionHead {
  const { reason, interference } = configuration
  const id = suspensionId(callId, suspensions(callId) + 1)
  const limit = reason === 'limit' ? { limit: usedUp.code } : {}
  return { id, reason, ...(interference.expiry === true ? { expiresAt: 5 } : {}), ...limit }
}

function phaseVerdict(outcome: string, { at }: OutcomeSource): Record<string, unknown> {
  if (outcome === 'terminated') return { terminate: {}, at }
  return outcome === 'stopped' ? { terminate: { code: 'enough' }, at } : { at }
}

function managerVerdict({ input }: OpenEffect, outcome: string, observed: OutcomeSource): Record<string, unknown> {
  const { at } = observed
  if (outcome === 'failed') return { error: { code: 'permission_failed', message: 'No request.' }, at }
  return isRequest(input) ? { holds: [holdPlan(observed)], at } : { at }
}

/** Returns true if the input requests permissions instead of reporting an answer. */
export function isRequest(input: unknown): boolean {
  return (input as { answered?: string }).answered === undefined
}

/** Returns the call with which a plugin holds a run at its start. */
export function holdPlan({
  configuration,
  suspensions,
}: Pick<OutcomeSource, 'configuration' | 'suspensions'>): CallPlan {
  const callId = '0.hold'
  return {
    callId,
    verdict: { kind: 'suspended', suspension: suspension(callId, { configuration, suspensions, at: 1 }) },
    effects: 'none',
    resumeMode: 'use-as-result',
    isExclusive: false,
    blocksRun: true,
    callHash: callId,
    isHold: true,
  }
}

/** Returns the event that a move other than a completion sends to the run. */
export function eventOf(move: Exclude<Move, { type: 'complete' }>, observed: OutcomeSource): { readonly type: string } {
  const { at } = observed
  switch (move.type) {
    case 'cancelRun':
      return event({ type: 'run.cancelRequested', at })
    case 'fail':
      return event({ type: 'run.failed', error: { code: 'effect_failed', message: 'An effect failed.' }, at })
    case 'say':
      return said(move, at)
    case 'wake':
      return event({ type: 'run.woken', at })
    case 'cancelCall':
      return event({ type: 'call.cancelRequested', callId: move.callId, text: 'User cancelled the action', at })
    case 'decide':
      return event({ type: 'decision.received', decision: decisionOf(move, observed), at })
  }
}

function said({ kind, count }: Extract<Move, { type: 'say' }>, at: number): { readonly type: string } {
  const text = saidText(kind, count)
  if (kind === 'extension') {
    return event({ type: 'message.posted', message: { role: 'extension', kind: text, data: null, timestamp: 1 }, at })
  }
  return event({ type: 'message.queued', queued: { kind, inboxId: rowOf(kind, count) }, at })
}

function decisionOf(
  { callId, action, answers }: Extract<Move, { type: 'decide' }>,
  { suspensions }: OutcomeSource,
): DecisionHead {
  const count = suspensions(callId) - (answers === 'past' ? 1 : 0)
  const id = answers === 'first' ? null : suspensionId(callId, count)
  return { inboxId: 1, decisionId: `${answers}:${id ?? callId}:${action}`, callId, suspensionId: id, action }
}

function event<E extends { readonly type: string }>(value: E): E {
  return value
}
