import { expect, test } from 'vitest'
import type { Decision, Tool } from '../../src/index.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'

interface Case {
  readonly resume: NonNullable<Tool['resume']>
  readonly decision: Omit<Decision, 'target'>
  readonly executed: readonly unknown[]
  readonly result: string
  readonly status: string
}

const original = { n: 1 }

test.for<Case>([
  {
    resume: 'replay',
    decision: { action: 'resume' },
    executed: [original],
    result: 'ran with resume',
    status: 'succeeded',
  },
  {
    resume: 'replay',
    decision: { action: 'resume', input: { n: 2 } },
    executed: [{ n: 2 }],
    result: 'ran with resume',
    status: 'succeeded',
  },
  {
    resume: 'replay',
    decision: { action: 'resume', mode: 'use-as-result', result: 0 },
    executed: [],
    result: '0',
    status: 'succeeded',
  },
  {
    resume: 'replay',
    decision: { action: 'resume', mode: 'use-as-result', result: false },
    executed: [],
    result: 'false',
    status: 'succeeded',
  },
  {
    resume: 'replay',
    decision: { action: 'resume', mode: 'use-as-result', result: '' },
    executed: [],
    result: '',
    status: 'succeeded',
  },
  {
    resume: 'replay',
    decision: { action: 'resume', mode: 'use-as-result', result: null },
    executed: [],
    result: 'null',
    status: 'succeeded',
  },
  {
    resume: 'replay',
    decision: { action: 'resume', mode: 'pass-to-tool', result: { n: 3 } },
    executed: [{ n: 3 }],
    result: 'ran with resume',
    status: 'succeeded',
  },
  {
    resume: 'use-as-result',
    decision: { action: 'resume', result: 'given' },
    executed: [],
    result: 'given',
    status: 'succeeded',
  },
  {
    resume: 'use-as-result',
    decision: { action: 'resume', mode: 'replay' },
    executed: [original],
    result: 'ran with resume',
    status: 'succeeded',
  },
  {
    resume: 'pass-to-tool',
    decision: { action: 'resume', result: { n: 4 } },
    executed: [{ n: 4 }],
    result: 'ran with resume',
    status: 'succeeded',
  },
  {
    resume: 'replay',
    decision: { action: 'cancel' },
    executed: [],
    result: 'User denied the action',
    status: 'cancelled',
  },
  {
    resume: 'use-as-result',
    decision: { action: 'cancel', reason: 'No' },
    executed: [],
    result: 'No',
    status: 'cancelled',
  },
  {
    resume: 'pass-to-tool',
    decision: { action: 'cancel' },
    executed: [],
    result: 'User denied the action',
    status: 'cancelled',
  },
])(
  'DEC-03 $resume × $decision.action by $decision.mode: $status with $result after $executed',
  async ({ resume, decision, executed, result, status }) => {
    const inputs: unknown[] = []
    const keys: string[] = []
    const gated = toolNamed(
      'gated',
      (input, context) => {
        inputs.push(input)
        keys.push(context.idempotencyKey)
        return `ran with ${context.decision?.action ?? 'nothing'}`
      },
      { needs: 'approval', resume },
    )
    const { agent, store } = testAgent({ replies: [calls(call('c1', 'gated', original)), 'Bye'], tools: [gated] })
    await agent.run('Hi', { runId })
    const run = await agent.load(runId)
    await run.decide([{ target: '1.c1', ...decision }])

    expect((await run.settled()).text).toBe('Bye')
    expect(inputs).toEqual(executed)
    const isEdited = executed.length > 0 && JSON.stringify(executed[0]) !== JSON.stringify(original)
    const told = `[A person changed the arguments of this call to: ${JSON.stringify(executed[0])}] | `
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': `${isEdited ? told : ''}${result}` })
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': status })
    expect(keys).toEqual(executed.length === 0 ? [] : [`run-1:1.c1:${isEdited ? 1 : 0}`])
  },
)

test("DEC-03 TC-03 treats a decision's error result as a failed call", async () => {
  const gated = toolNamed('gated', () => 'ran', { needs: 'approval' })
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'gated')), 'Bye'], tools: [gated] })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.respond('1.c1', { content: [{ type: 'text', text: 'It broke' }], status: 'error' })
  await run.settled()

  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'failed' })
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'It broke' })
})

test('DEC-05 keeps edited arguments and their key when the replay suspends again', async () => {
  const seen: unknown[] = []
  const asking = toolNamed('asking', (input, { attempt, idempotencyKey, suspend }) => {
    seen.push([input, idempotencyKey])
    return attempt < 3 ? suspend() : 'done'
  })
  const { agent } = testAgent({ replies: [calls(call('c1', 'asking', original)), 'Bye'], tools: [asking] })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.edit('1.c1', { n: 2 })
  await run.settled()
  await run.approve('1.c1')
  await run.settled()

  expect(seen).toEqual([
    [original, 'run-1:1.c1:0'],
    [{ n: 2 }, 'run-1:1.c1:1'],
    [{ n: 2 }, 'run-1:1.c1:1'],
  ])
})

test('DEC-03 answers without the tool if it is no longer registered', async () => {
  const gated = toolNamed('gated', () => 'ran', { needs: 'approval' })
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'gated')), 'Bye'], tools: [gated] })
  await agent.run('Hi', { runId })
  const later = testAgent({ store, replies: [calls(call('c1', 'gated')), 'Bye'], process: 'p2' })
  const run = await later.agent.load(runId)
  await run.approve('1.c1')

  expect((await run.settled()).text).toBe('Bye')
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'Tool "gated" is not registered any more.' })
})
