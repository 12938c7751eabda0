import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  option,
  record as recordOf,
  type Arbitrary,
} from 'fast-check'
import { expect, test } from 'vitest'
import type { ExecutorOption } from '../../src/ports.ts'
import type { ModelRequest, Run } from '../../src/index.ts'
import { toolCallsOf } from '../../src/core/domain/message.ts'
import { scripted, type ScriptedAnswer } from '../../src/adapters/providers/scripted.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

const names = ['act', 'fail', 'gated', 'ask', 'service', 'alone', 'nope'] as const
const verbs = ['approve', 'deny', 'respond', 'cancelCall', 'cancel'] as const

const givenRuns = recordOf({
  turns: array(array(constantFrom(...names), { maxLength: 4 }), { minLength: 1, maxLength: 4 }),
  executor: constantFrom<ExecutorOption[]>('parallel', 'sequential', { batch: 2 }),
  decisions: constantFrom('immediate', 'gate'),
  onPartialSuspension: constantFrom('continue', 'wait'),
  maxTurns: integer({ min: 1, max: 5 }),
  onLimit: constantFrom('stop', 'error', 'finish'),
  onRepeat: constantFrom('note', 'stop'),
  isWatched: boolean(),
  /** Which answer comes at each rest, and which comes while the model is asked for its n-th answer. */
  atRest: array(constantFrom(...verbs), { minLength: 1, maxLength: 6 }),
  inFlight: array(option(constantFrom(...verbs), { freq: 3 }), { maxLength: 5 }),
})

type Given = typeof givenRuns extends Arbitrary<infer Value> ? Value : never

/** The problem of a prompt: every call must be followed by its one result. */
function faultsOf({ messages }: ModelRequest): readonly string[] {
  const faults: string[] = []
  const expected: string[] = []
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const next = expected.shift()
      if (next !== message.callId) faults.push(`${message.callId} where ${next} was due`)
      continue
    }
    if (expected.length > 0) faults.push(`no result of ${expected.splice(0).join(', ')}`)
    if (message.role === 'assistant') expected.push(...toolCallsOf(message).map(({ callId, id }) => callId ?? id))
  }
  if (expected.length > 0) faults.push(`no result of ${expected.join(', ')}`)
  if (messages.at(-1)?.role === 'assistant') faults.push('ends in an assistant message')
  return faults
}

async function answer(run: Run, verb: (typeof verbs)[number], target: string | undefined): Promise<void> {
  if (verb === 'cancel') return void (await run.cancel())
  if (target === undefined) return
  if (verb === 'respond') await run.respond(target, 'given')
  else await run[verb](target)
}

async function play({ turns, atRest, inFlight, isWatched, maxTurns, onRepeat, ...options }: Given) {
  const { act, fail, ask } = toolbox()
  const faults: string[] = []
  let asked = 0
  const clock = fakeClock()
  const reply = async (request: ModelRequest): Promise<ScriptedAnswer | string> => {
    faults.push(...faultsOf(request))
    const verb = inFlight[asked]
    const turn = turns[asked++]
    if (verb !== null && verb !== undefined) {
      const open = (await store.calls(runId)).find(({ record }) => record.status === 'suspended')
      await answer(run, verb, open?.record.callId)
      await quiet()
    }
    if (turn === undefined || turn.length === 0 || request.toolChoice === 'none') return 'Bye'
    return calls(...turn.map((name, index) => call(`c${index}`, name)))
  }
  const { agent, store } = testAgent({
    ...options,
    limits: { maxTurns, onRepeat },
    clock,
    model: scripted(reply, { by: 'calls', now: clock.now }),
    tools: [
      act(),
      fail(),
      act('gated', { needs: 'approval' }),
      ask('ask'),
      ask('service', { reason: 'service' }),
      act('alone', { concurrency: 'exclusive' }),
    ],
    plugins: isWatched ? [{ name: 'watching', gateCall: () => {}, reviewCall: () => {} }] : [],
  })
  const run = agent.start('Hi', { runId })
  let end = await run.settled()
  for (let rest = 0; end.status === 'waiting'; rest++) {
    expect(rest).toBeLessThan(40)
    expect(end.suspended.length).toBeGreaterThan(0)
    await answer(run, atRest[rest % atRest.length] ?? 'deny', end.suspended[0]?.callId)
    end = await run.settled()
  }
  const rows = (await store.calls(runId)).map(({ record }) => record)
  const open = rows.filter(({ status, result }) => result === undefined || !/succeeded|failed|cancelled/.test(status))
  return {
    end: end.outcome,
    transcript: await transcriptOf(store, runId),
    faults: [...faults, ...open.map(({ callId, status }) => `${callId} is left ${status}`)],
    inbox: await store.inbox(runId, { isOpen: true }),
  }
}

test('RUN-07 RUN-03 DEC-04 gives every call exactly one result in every prompt and at every end', async () => {
  await assert(
    asyncProperty(givenRuns, async (given) => {
      expect(await play(given)).toMatchObject({ faults: [], inbox: [] })
    }),
    { numRuns: 80, seed: 7 },
  )
}, 60_000)

test('RUN-08 DEC-04 gives the same transcript whether decisions are applied at once or at the gate', async () => {
  await assert(
    asyncProperty(givenRuns, async (given) => {
      const atOnce = await play({ ...given, decisions: 'immediate' })
      expect(await play({ ...given, decisions: 'gate' })).toEqual(atOnce)
    }),
    { numRuns: 30, seed: 11 },
  )
}, 60_000)
