import { describe, expect, test } from 'vitest'
import { contract, tool } from '../../src/index.ts'
import type { AgentSource, describePaths } from '../../src/testing/index.ts'
import { loadGraph } from '../../src/testing/charts/load-graph.ts'
import { coverTransitions } from '../../src/testing/charts/transition-coverage.ts'
import { configurationsOf, planScript } from '../../src/testing/paths/agent-configurations.ts'
import { agentFrom, scriptsOf } from '../../src/testing/paths/agent-under-test.ts'
import { failuresOf, generate } from './generate-tests.ts'

const base = { description: 'Acts.', input: { type: 'object' }, execute: () => 'Acted.' } as const
const unasked = tool({ ...base, name: 'send' })
const send = tool({ ...base, name: 'send', needs: 'approval' })
const payment = contract({
  type: 'com.bank.payment',
  version: '1',
  accepts: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
  emits: {
    'bank.paid': { type: 'object', required: ['receipt'], properties: { receipt: { type: 'string' } } },
    'bank.refused': { type: 'object' },
  },
  cancel: 'com.bank.payment.cancel',
  expiresInMs: 60_000,
})

describe('TST-02 tests generated with answers', { timeout: 60_000 }, () => {
  test('SVC-01 SVC-05 DEC-08 plays a service: every answer, its error, its time-out and its cancel', async () => {
    const agent = { name: 'a', services: [payment] }
    const { tests } = await generate(agent)
    expect(tests.flatMap(({ name }) => (name.startsWith('runs: com_bank_payment >') ? [name] : []))).toEqual(
      ['answers bank.paid', 'answers bank.refused', 'answers with an error', 'expires', 'is cancelled'].map(
        (outcome) => `runs: com_bank_payment > 1.com_bank_payment ${outcome}`,
      ),
    )
    expect(await failuresOf(agent)).toEqual([])
  })

  test('PERM-04 PERM-05 plays the grants of a yes and a no beyond their call', async () => {
    const agent = { name: 'a', tools: [unasked], permissions: { rules: { ask: ['send'] } } }
    const { tests } = await generate(agent)
    expect(tests.flatMap(({ name }) => (name.startsWith('runs: send, twice') ? [name] : []))).toEqual(
      ['yes, once', 'yes, for the run', 'yes, for always', 'no, for the run'].map(
        (answer) => `runs: send, twice > asked: ${answer}`,
      ),
    )
    expect(await failuresOf(agent)).toEqual([])
  })

  test('SVC-01 PERM-05 covers every path of a service call and of a call that a rule asks about', async () => {
    const taken = new Set<string>()
    const agent = agentFrom({
      name: 'a',
      tools: [unasked],
      services: [payment],
      permissions: { rules: { ask: ['send'] } },
    })
    const scripts = await Promise.all(scriptsOf(agent).map((script) => planScript(agent, script)))
    const bounds = { limit: 1000, isPartial: true, interpreter: 'tables' } as const
    for (const { chart, words, path } of coverTransitions(configurationsOf(agent, scripts), await loadGraph(), bounds))
      if (path !== undefined && chart === 'toolCall') taken.add(words)
    const ways = [
      'new.judging, always [isCallGatePending] → gating',
      'new.judging, always → #toolCall.suspended',
      'new.judging, always [isRefused] → #toolCall.failed',
      'suspended, call.cancel → cancelled',
      'suspended.resting, call.decided → decided',
      'suspended.resting, done(expiry) → #toolCall.cancelled',
      'suspended.decided, call.resume [answersSuspension(resume)] → #toolCall.resuming',
      'suspended.decided, call.resume [answersSuspension(cancel)] → #toolCall.cancelled',
      'resuming, call.cancel → cancelled',
      'resuming.judging, always [isAllowed] → #toolCall.running',
      'resuming.judging, always [isRefused] → #toolCall.failed',
      'resuming.judging, always [isSuppliedAs(succeeded)] → #toolCall.succeeded',
      'resuming.judging, always [isSupplied] → #toolCall.failed',
      'resuming.judging, always → #toolCall.suspended',
    ]
    expect(ways.filter((way) => !taken.has(way))).toEqual([])
  })

  test('PERM-03 plays a request for permission, granted and denied', async () => {
    const manager = { get: () => ({ send: 'requestable' as const }) }
    const agent = { name: 'a', tools: [unasked], permissions: { policy: () => ['send'], manager } }
    expect((await generate(agent)).groups).toContain('charts: the model calls send')
    expect(await failuresOf(agent)).toEqual([])
  })
})

describe('TST-02 failures', { timeout: 60_000 }, () => {
  /** An agent whose code is another in each process that makes it. */
  const changing = (agent: (count: number) => Parameters<typeof describePaths>[0] & object) => {
    let count = 0
    return (() => agent(++count)) as AgentSource
  }

  test('SVC-04 a generated test fails if a contract has another answer in the next process', async () => {
    const source = changing((count) => {
      const emits = { [count % 2 === 0 ? 'bank.done' : 'bank.paid']: { type: 'object' } }
      return { name: 'a', services: [{ ...payment, emits }] }
    })
    expect(await failuresOf(source, 'runs: ')).toContainEqual(
      expect.stringMatching(/answers bank\.paid\n[^]*lost: The answer to call "1\.com_bank_payment" came to "refused"/),
    )
  })

  test('PERM-05 a generated test fails if a rule that asks is missing in the next process', async () => {
    const source = changing((count) => ({
      name: 'a',
      tools: [unasked],
      permissions: { rules: count === 1 ? { ask: ['send'] } : {} },
    }))
    expect(await failuresOf(source, 'runs: send >')).toContainEqual(
      expect.stringMatching(/1\.send succeeds; asked: yes\n[^]*"1\.send" ran and nobody had said yes/),
    )
  })

  test("PERM-04 a generated test fails if a grant is asked about again because the tool's definition changed", async () => {
    const source = changing((count) => ({ name: 'a', tools: [{ ...send, description: `Sends, ${count}.` }] }))
    expect(await failuresOf(source, 'runs: send, twice > asked: yes, for the run')).toContainEqual(
      expect.stringMatching(
        /lost: Call "2\.send" is asked about, and the answer to call "1\.send" was for calls like it\./,
      ),
    )
  })
})
