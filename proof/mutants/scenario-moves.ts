import type { Answer } from '../../machines/model-call/model-call.types.ts'
import type { ContextAnswered, FilterVerdict } from '../../machines/run/run.input-types.ts'
import type { CallPlan, SuspensionHead } from '../../src/core/domain/call-plan.ts'
import type { ExtensionMessage } from '../../src/core/domain/message.ts'
import { noUsage } from '../../src/core/domain/usage.ts'
import type { LiveChart, Step } from '../../src/testing/charts/live-chart.ts'
import { rowOf } from './said-texts.ts'
import type { Scenario } from './scenario.ts'

/** The state that a move changes. */
export interface Playing {
  readonly scenario: Scenario
  readonly live: LiveChart
  /** The number of suspensions of each call. */
  readonly suspensions: Map<string, number>
  /** Goes on from what is stored of the run, after somebody has changed it. */
  restore(change: (document: string) => string): Step
}

/**
 * Makes a move given in words, at a time where `@ms` ends it: `start`, `model a b`, `model text`, `refresh ok`, `compact`,
 * `compact outgrown`, `summarise`, `tool a ok`,
 * `gate a refused`, `replay a edited`, `review a`, `sleep a`, `phase runEnd passed`, `filter warns`, `build Built.`, `hold`, `manager holds 1.hold`, `steer Left.`, `followUp More.`, `post card`, `resume a`, `deny a because`,
 * `keep a resume`, `cancel a`, `cancel`, `fail`, `wake`, `wake 90` (awake until then),
 * `time` (the running time is over), `lose suspension`, `lose denial` (a stored document without the suspension a replay answers).
 */
export function makeMove(player: Playing, text: string): Step {
  const [, words = text, time = '1'] = /^(.*?)(?: @(\d+))?$/.exec(text) ?? []
  const [verb = '', subject = '', ...rest] = words.split(' ')
  const at = Number(time)
  switch (verb) {
    case 'start':
      return player.live.open()
    case 'model':
      return complete(player, 'modelCall', 'callModel', attempted(player, [subject, ...rest], at))
    case 'refresh':
      return complete(player, 'modelCall', 'refreshCredentials', refreshed(subject, at))
    case 'compact':
      return complete(player, 'modelCall', 'compactPrompt', { kind: subject === 'outgrown' ? 'outgrown' : 'compacted' })
    case 'summarise':
      return complete(player, 'modelCall', 'summarise', { usage: { ...noUsage, totalTokens: 10 }, cost: 1, at })
    case 'tool':
      return complete(player, subject, 'runTool', performed(player, subject, rest[0] ?? '', at))
    case 'gate':
      return complete(player, subject, 'gateCall', { ...verdict(player, subject, rest[0] ?? ''), gated: true })
    case 'replay':
      return complete(player, subject, 'gateReplay', {
        verdict: verdict(player, subject, rest[0] === 'edited' ? 'allowed' : (rest[0] ?? '')),
        revision: rest[0] === 'edited' ? 1 : 0,
      })
    case 'review':
      return complete(player, subject, 'reviewCall', undefined)
    case 'time':
      return complete(player, 'run', 'keepTime', { at })
    case 'sleep':
      return complete(player, subject, 'sleep', undefined)
    case 'phase':
      return complete(player, 'run', 'ask', phaseVerdict(player, rest[0] ?? '', at))
    case 'filter':
      return complete(player, 'run', 'filterInput', filtered(subject, at))
    case 'recall':
      return complete(player, 'run', 'recall', { at })
    case 'build':
      return complete(player, 'run', 'buildContext', built(subject, at))
    case 'hold':
      return complete(player, 'run', 'holdRun', phaseVerdict(player, 'holds', at))
    case 'manager':
      return complete(player, 'run', 'askManager', managed(player, subject, at, rest[0]))
    case 'steer':
    case 'followUp':
      return send(player, { type: 'message.queued', queued: { kind: verb, inboxId: rowOf(subject) }, at })
    case 'post':
      return send(player, { type: 'message.posted', message: posted(subject, at), at })
    case 'resume':
    case 'deny':
      return decide(player, subject, verb === 'deny' ? 'cancel' : 'resume', rest, at)
    case 'keep':
      return decide(player, subject, rest[0] === 'deny' ? 'cancel' : 'resume', ['kept'], at)
    case 'cancel':
      return send(
        player,
        subject === ''
          ? { type: 'run.cancelRequested', at }
          : { type: 'call.cancelRequested', callId: subject, text: 'User cancelled the action', at },
      )
    case 'fail':
      return send(player, { type: 'run.failed', error: { code: 'effect_failed', message: 'An effect failed.' }, at })
    case 'wake':
      return send(player, { type: 'run.woken', at, ...(subject === '' ? {} : { awakeUntil: Number(subject) }) })
    case 'lose':
      return player.restore((document) => withoutSuspension(document, subject === 'denial'))
    default:
      throw new Error(`No move "${text}" is known.`)
  }
}

function withoutSuspension(document: string, isDenial: boolean): string {
  const lost = document.replaceAll(/"suspension":\{[^}]*\}/g, '"suspension":null')
  return isDenial ? lost.replaceAll('"action":"resume"', '"action":"cancel"') : lost
}

function send({ live }: Playing, event: { readonly type: string; readonly [key: string]: unknown }): Step {
  return live.send(event)
}

function complete({ live }: Playing, owner: string, src: string, output: unknown): Step {
  return live.complete(owner, src, () => output)
}

function filtered(word: string, at: number): FilterVerdict {
  if (word === 'warns') return { warnings: ['Mind.'], at }
  return { warnings: [], ...(word === 'refuses' ? { rejection: { filter: 'size', reason: 'Too long.' } } : {}), at }
}

function built(word: string, at: number): ContextAnswered {
  return { isBuilt: word !== 'nothing', at }
}

function posted(kind: string, timestamp: number): ExtensionMessage {
  return { role: 'extension', kind, data: null, timestamp }
}

/** The way in which an answer breaks the output contract. */
function misfit(words: readonly string[]): Pick<Answer, 'misfit'> {
  if (words.includes('unfit')) return { misfit: { kind: 'issues', text: 'No total.' } }
  if (!words.includes('unjudged')) return {}
  return { misfit: { kind: 'broken', error: { code: 'effect_failed', message: 'The schema threw.' } } }
}

function attempted(player: Playing, words: readonly string[], at: number): unknown {
  const [first = '', parts = 1] = words
  if (first === 'outgrown') return { kind: 'outgrown' }
  if (first === 'truncated') return { kind: 'truncated', parts: Number(parts) }
  if (first === 'refused') {
    return { kind: 'refused', reason: 'Rude.', usage: { ...noUsage, totalTokens: 10 }, cost: 1, startedAt: at - 10, at }
  }
  if (first === 'exhausted' || first === 'asking') {
    const error = { code: 'max_cost', message: 'Used up.' }
    const asked = first === 'asking' ? { isAsked: true } : {}
    return { kind: 'failed', error, retryAt: null, limit: error.code, ...asked, at }
  }
  if (first === 'busy') return { kind: 'failed', error: { code: 'rate_limit', message: 'Busy.' }, retryAt: 7, at }
  if (first === 'broken') return { kind: 'failed', error: { code: 'api_error', message: 'No.' }, retryAt: null, at }
  if (first === 'overflow') {
    const error = { code: 'context_overflow', message: 'Too long.' }
    return { kind: 'failed', error, retryAt: null, isOverflow: parts !== 'finally', at }
  }
  if (first === 'mediaRefused') {
    const error = { code: 'api_error', message: 'Bad.' }
    return { kind: 'failed', error, retryAt: null, ...(parts === 'finally' ? {} : { refusal: 'No picture.' }), at }
  }
  if (first === 'unauthorized') {
    const error = { code: 'auth_error', message: 'No.' }
    return { kind: 'failed', error, retryAt: null, isRefreshable: parts !== 'finally', at }
  }
  const asked = words.filter((word) => !plainAnswers.includes(word) && !word.startsWith('-'))
  const calls = asked.map((callId) => planOf(player, callId))
  const dropped = words.filter((word) => word.startsWith('-')).map((word) => word.slice(1))
  const usage = { ...noUsage, totalTokens: 10 }
  return {
    kind: 'answered',
    answer: { seq: 1, calls, dropped, usage, cost: 1, startedAt: at - 10, at, ...misfit(words) },
  }
}

/** Answers without a call: one that is kept, one the output contract does not fit, and one where it fails itself. */
const plainAnswers: readonly string[] = ['text', 'unfit', 'unjudged']

function refreshed(word: string, at: number): unknown {
  if (word === 'ok') return { kind: 'refreshed' }
  return { kind: 'failed', error: { code: 'auth_error', message: 'None to be had.' }, at }
}

/** A call as a model's answer has it, plain but for what its scenario says. */
function planOf({ scenario: { calls = {} }, suspensions }: Playing, callId: string): CallPlan {
  if (calls[callId]?.verdict?.kind === 'suspended') suspensions.set(callId, 1)
  return {
    callId,
    verdict: { kind: 'allowed' },
    effects: 'once',
    resumeMode: 'replay',
    isExclusive: false,
    blocksRun: true,
    callHash: callId,
    ...calls[callId],
  }
}

function performed(player: Playing, callId: string, word: string, at: number): unknown {
  switch (word) {
    case 'asks':
      return { status: 'suspended', suspension: suspend(player, callId), at }
    case 'bad':
      return { status: 'failed', resultHash: 'bad', at }
    case 'again':
      return { status: 'failed', retryAt: 9, at }
    case 'sets':
      return { status: 'succeeded', resultHash: 'good', paths: ['total'], at }
    default:
      return { status: 'succeeded', resultHash: 'good', at }
  }
}

function verdict(player: Playing, callId: string, word: string): Record<string, unknown> {
  switch (word) {
    case 'refused':
      return { kind: 'refused', text: 'Blocked.' }
    case 'blocked':
      return { kind: 'refused', text: 'Blocked.', isRequested: true }
    case 'supplied':
      return { kind: 'supplied', status: 'succeeded' }
    case 'suppliedBadly':
      return { kind: 'supplied', status: 'failed' }
    case 'asks':
      return { kind: 'suspended', suspension: suspend(player, callId) }
    default:
      return { kind: 'allowed' }
  }
}

/** Every suspension has an id of its own: `a/2` is the second of call a. */
function suspend({ suspensions, scenario }: Playing, callId: string): SuspensionHead {
  const count = (suspensions.get(callId) ?? 0) + 1
  suspensions.set(callId, count)
  const { reason = 'approval', expiresAt } = scenario
  const limit = reason === 'limit' ? { limit: 'max_cost' as const } : {}
  return { id: `${callId}/${count}`, reason, ...(expiresAt === undefined ? {} : { expiresAt }), ...limit }
}

function phaseVerdict(player: Playing, word: string, at: number): unknown {
  if (word === 'ends') return { terminate: {}, at }
  if (word === 'asks') return { request: { isLogged: true, model: 'big' }, at }
  if (word === 'stops') return { terminate: { code: 'enough' }, at }
  if (word !== 'holds') return { at }
  const hold = planOf(player, '0.hold')
  const suspension = suspend(player, '0.hold')
  return { holds: [{ ...hold, verdict: { kind: 'suspended', suspension }, isHold: true }], at }
}

/** A manager makes a request, which holds the run, has nothing to say, or cannot be asked. */
function managed(player: Playing, word: string, at: number, callId = '0.hold'): unknown {
  if (word === 'fails') return { error: { code: 'permission_failed', message: 'Unreachable.' }, at }
  if (word !== 'holds') return { at }
  const suspension = { ...suspend(player, callId), reason: 'permission' }
  return { holds: [{ ...planOf(player, callId), verdict: { kind: 'suspended', suspension }, isHold: true }], at }
}

/** `old` answers the suspension before the current one, `kept` comes before there is one. */
function decide(
  player: Playing,
  callId: string,
  action: 'resume' | 'cancel',
  words: readonly string[],
  at: number,
): Step {
  const count = Math.max(player.suspensions.get(callId) ?? 1, 1) - (words.includes('old') ? 1 : 0)
  const suspensionId = words.includes('kept') ? null : `${callId}/${count}`
  const decision = {
    inboxId: 1,
    decisionId: suspensionId ?? 'kept',
    callId,
    suspensionId,
    action,
    ...(words.includes('because') ? { reason: 'Because.' } : {}),
  }
  return send(player, { type: 'decision.received', decision, at })
}
