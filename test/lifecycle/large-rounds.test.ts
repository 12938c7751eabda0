import { expect, test } from 'vitest'
import { forkedContext } from '../../machines/run/run.fork.ts'
import { entryOf, patchCall } from '../../machines/run/run.entries.ts'
import { appliesAtOnce } from '../../machines/run/run.gate.ts'
import { enterRound, hasConflict, isBatchOver, isRoundOver } from '../../machines/run/run.round.ts'
import { takeSettlement, takeSuspension } from '../../machines/run/run.calls.ts'
import { initialContext } from '../../machines/run/run.turn.ts'
import type { RunContext } from '../../machines/run/run.types.ts'
import type { ToolCallReport } from '../../machines/tool-call/tool-call.types.ts'
import type { CallPlan } from '../../src/core/domain/call-plan.ts'
import { createAgent } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'

const input = createAgent({ name: 'test', model: scripted([]) }).machineInput('Hi')
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }

function idsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `1.c${n}`)
}

function plan(callId: string): CallPlan {
  const verdict = { kind: 'allowed' } as const
  return {
    callId,
    verdict,
    effects: 'none',
    resumeMode: 'replay',
    isExclusive: false,
    blocksRun: true,
    callHash: callId,
  }
}

/** A run whose answer holds so many calls, all of them started at once. */
function roundOf(count: number): RunContext {
  const answer = { seq: 1, calls: idsOf(count).map(plan), dropped: [], usage, cost: 0, at: 0 }
  const context = { ...initialContext({ input }), answer }
  return { ...context, ...enterRound({ context, spawn: () => undefined }) }
}

function settled(callId: string): Extract<ToolCallReport, { type: 'toolCall.settled' }> {
  return { type: 'toolCall.settled', callId, status: 'succeeded', wasGated: true, resultHash: 'x', paths: [], at: 1 }
}

function suspended(callId: string): Extract<ToolCallReport, { type: 'toolCall.suspended' }> {
  const suspension = { id: `sus_${callId}`, reason: 'approval' } as const
  return { type: 'toolCall.suspended', callId, suspension, isDecided: false, at: 1 }
}

/** The number of fields of objects and lists that a step has read or rewritten. */
class Work {
  fields = 0

  /** The same value, whose readers are counted. */
  watched<Value extends object>(value: Value): Value {
    return new Proxy(value, {
      get: (of, key, receiver) => {
        this.fields++
        return Reflect.get(of, key, receiver)
      },
      ownKeys: (of) => {
        const keys = Reflect.ownKeys(of)
        this.fields += keys.length
        return keys
      },
    })
  }

  /** A context whose calls and outcomes are watched. */
  over(context: RunContext): RunContext {
    const { calls: held, round } = context
    return {
      ...context,
      calls: this.watched(held),
      round: { ...round, firsts: this.watched(round.firsts) },
    }
  }
}

/** The work of the dearest call of a round that reports after all but itself have; guards are asked as the chart asks them. */
function costOf(count: number, take: (context: RunContext, callId: string) => RunContext): number {
  let context = roundOf(count)
  let most = 0
  for (const callId of idsOf(count)) {
    const work = new Work()
    const watched = work.over(context)
    take(watched, callId)
    for (const guard of [hasConflict, isRoundOver, isBatchOver, appliesAtOnce]) guard({ context: watched })
    most = Math.max(most, work.fields)
    context = take(context, callId)
  }
  return most
}

const settle = (context: RunContext, callId: string): RunContext => ({
  ...context,
  ...takeSettlement({ context }, { report: settled(callId) }),
})

const suspend = (context: RunContext, callId: string): RunContext => ({
  ...context,
  ...takeSuspension({ context }, { report: suspended(callId) }),
})

test.each([
  ['settles', settle],
  ['suspends', suspend],
])('RUN-10 the work of a call that %s grows no faster than the number of calls in its round', (_, take) => {
  expect(costOf(256, take)).toBeLessThan(4.2 * costOf(64, take))
})

const suspendedEntry = { status: 'suspended', suspension: { id: 'sus_1.c7', reason: 'approval' } } as const
const settledEntry = { status: 'settled', resultHash: 'x', paths: [] } as const

test('CKP-08 a fork asks about a decided call of a large round', () => {
  const { calls: held } = settle(suspend(roundOf(256), '1.c7'), '1.c8')
  const decided = patchCall({ calls: held }, '1.c7', { status: 'active', isReplay: true })
  const forked = forkedContext({ ...decided, decisions: [] }, ['1.c7']) as RunContext
  expect(entryOf(forked, '1.c7')).toMatchObject({ status: 'suspended', suspension: suspendedEntry.suspension })
  expect(entryOf(forked, '1.c8')).toMatchObject(settledEntry)
  expect(entryOf(forked, '1.c9')).toMatchObject({ status: 'active' })
})

test('RUN-04 a large round waits, is resumed by another process and ends with every result in its place', async () => {
  const { act, ask } = toolbox()
  const tools = [act(), ask()]
  const asked = Array.from({ length: 256 }, (_, n) => call(`c${n}`, n % 4 === 0 ? 'act' : 'ask', { n }))
  const replies = [calls(...asked), 'Bye']
  const options = { replies, tools, limits: { maxCallsPerTurn: 256 }, onPartialSuspension: 'wait' } as const
  const first = testAgent(options)
  expect(await first.agent.run('Hi', { runId })).toMatchObject({ status: 'waiting' })
  expect(Object.values(await statusesOf(first.store, runId)).filter((status) => status === 'suspended')).toHaveLength(
    192,
  )

  const { agent, store } = testAgent({ ...options, store: first.store, clock: first.clock, process: 'p2' })
  const run = await agent.load(runId)
  const targets = idsOf(256).filter((_, n) => n % 4 !== 0)
  await run.decide(targets.slice(0, 191).map((target) => ({ target, action: 'resume' as const })))
  expect(await run.settled()).toMatchObject({ status: 'waiting' })
  await run.decide([{ target: targets[191] ?? '', action: 'resume' }])
  expect(await run.settled()).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Bye' })
  const heard = idsOf(256).map((callId, n) => [callId, n % 4 === 0 ? 'act done' : 'ask heard resume'])
  expect(await resultsOf(store, runId)).toEqual(Object.fromEntries(heard))
})
