import { expect, test } from 'vitest'
import type { Decision, Run } from '../../src/index.ts'
import { resultsOf, statusesOf, suspensionOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'
import { runId, type TestAgent, testAgent } from '../../proof/support/test-agent.ts'

async function paused(): Promise<TestAgent & { readonly run: Run; readonly done: readonly string[] }> {
  const { done, act } = toolbox()
  const input = { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false }
  const output = { type: 'string' }
  const built = testAgent({
    replies: [calls(call('c1', 'gated', { n: 1 }), call('c2', 'gated', { n: 2 }), call('c3', 'timed')), 'Bye'],
    tools: [
      act('gated', { needs: 'approval', input, output }),
      toolbox().ask('timed', { expiresAt: 1_700_000_001_000 }),
    ],
  })
  await built.agent.run('Hi', { runId })
  return { ...built, run: await built.agent.load(runId), done }
}

type Answers = readonly (readonly Decision[])[]
const resume = (target: string, more: Partial<Decision> = {}): Decision => ({ target, action: 'resume', ...more })
const cancel = (target: string, more: Partial<Decision> = {}): Decision => ({ target, action: 'cancel', ...more })

test.for<{ readonly what: string; readonly given: Answers; readonly expected: readonly (readonly string[])[] }>([
  { what: 'a call id', given: [[resume('1.c1')]], expected: [['applied']] },
  { what: 'a suspension id', given: [[resume('sus_p1_1')]], expected: [['applied']] },
  { what: "the provider's id of one open call", given: [[resume('c2')]], expected: [['applied']] },
  {
    what: 'the same answer again',
    given: [[resume('1.c1')], [resume('1.c1')]],
    expected: [['applied'], ['duplicate']],
  },
  {
    what: 'the same answer by both ids',
    given: [[resume('1.c1')], [resume('sus_p1_1')]],
    expected: [['applied'], ['duplicate']],
  },
  {
    what: 'the same decision id',
    given: [[resume('1.c1', { decisionId: 'd' })], [resume('1.c1', { decisionId: 'd' })]],
    expected: [['applied'], ['duplicate']],
  },
  {
    what: 'the same answer under other decision ids',
    given: [[resume('1.c1', { decisionId: 'd' })], [resume('1.c1', { decisionId: 'e' })], [resume('1.c1')]],
    expected: [['applied'], ['duplicate'], ['duplicate']],
  },
  {
    what: 'another answer after the first',
    given: [[resume('1.c1')], [cancel('1.c1')]],
    expected: [['applied'], ['stale']],
  },
  {
    what: 'another payload after the first',
    given: [[resume('1.c1')], [resume('1.c1', { input: { n: 9 } })]],
    expected: [['applied'], ['stale']],
  },
  { what: 'a call nobody has seen (S9)', given: [[resume('1.c9')]], expected: [['unknown']] },
  { what: 'input that does not fit', given: [[resume('1.c1', { input: { n: 'x' } })]], expected: [['refused']] },
  { what: 'falsy input that does not fit', given: [[resume('1.c1', { input: 0 })]], expected: [['refused']] },
  {
    what: 'a result that does not fit',
    given: [[resume('1.c1', { mode: 'use-as-result', result: 7 })]],
    expected: [['refused']],
  },
  { what: 'a missing result', given: [[resume('1.c1', { mode: 'use-as-result' })]], expected: [['refused']] },
  { what: 'nothing to pass to the tool', given: [[resume('1.c1', { mode: 'pass-to-tool' })]], expected: [['refused']] },
  {
    what: 'input that does not fit, by provider id',
    given: [[resume('c1', { input: { n: 'x' } })]],
    expected: [['refused']],
  },
  {
    what: 'input that does not fit after the first answer',
    given: [[resume('1.c1')], [resume('1.c1', { input: { n: 'x' } })], [resume('sus_p1_1', { input: 0 })]],
    expected: [['applied'], ['stale'], ['stale']],
  },
  {
    what: 'a shape we do not know',
    given: [[{ target: '1.c1', action: 'maybe' } as never, null as never]],
    expected: [['refused', 'refused']],
  },
  {
    what: 'yes and no for two calls (S25)',
    given: [[resume('1.c1'), cancel('1.c2')]],
    expected: [['applied', 'applied']],
  },
  {
    what: 'yes and no for one call (S25)',
    given: [[resume('1.c1'), cancel('1.c1')]],
    expected: [['refused', 'refused']],
  },
  {
    what: 'yes and no for one call by two ids (S25)',
    given: [[resume('1.c1'), cancel('sus_p1_1')]],
    expected: [['refused', 'refused']],
  },
  { what: 'nothing', given: [[]], expected: [[]] },
])('DEC-06 answers $what with $expected', async ({ given, expected }) => {
  const { run } = await paused()
  const answers: string[][] = []
  for (const items of given) answers.push((await run.decide(items)).map(({ answer }) => answer))

  expect(answers).toEqual(expected)
})

test('DEC-06 stores nothing for an answer without effect (S9)', async () => {
  const { run, store } = await paused()
  const before = await store.read(runId)
  await run.decide([resume('1.c9')])
  await run.decide([resume('1.c1'), cancel('1.c1')])
  await run.decide([resume('1.c1', { input: 0 })])
  expect(await store.inbox(runId, { kinds: ['decision'] })).toEqual([])
  const result = await run.settled()

  expect(result.status).toBe('waiting')
  expect(await store.read(runId)).toEqual(before)
})

test('DEC-01 stores a decision before it acts, without claiming the run', async () => {
  const { run, store, clock } = await paused()
  clock.advance(5)
  await run.approve('1.c1', { by: 'ann', scope: 'once' })

  const rows = await store.inbox(runId, { kinds: ['decision'] })
  expect(rows.map(({ item, at }) => [item, at])).toEqual([
    [
      {
        kind: 'decision',
        decision: {
          target: '1.c1',
          action: 'resume',
          by: 'ann',
          scope: 'once',
          decisionId: expect.stringMatching(/^sus_p1_1:/),
          grantId: expect.stringMatching(/^grant_/),
          callId: '1.c1',
          suspensionId: 'sus_p1_1',
          at: 1_700_000_000_005,
        },
      },
      1_700_000_000_005,
    ],
  ])
  expect((await store.record(runId)).status).toBe('waiting')
})

test.for([
  ['before it expires', 999, 'applied'],
  ['when it expires', 1000, 'stale'],
  ['after it expired, though nobody fired the timer', 2000, 'stale'],
] satisfies [string, number, string][])('DEC-06 answers a decision %s', async ([, later, expected]) => {
  const { run, clock } = await paused()
  clock.advance(later)
  const misfit = resume('1.c3', { mode: 'use-as-result' })
  const [receipt] = await run.decide([misfit])
  expect(receipt?.answer).toBe(expected === 'applied' ? 'refused' : 'stale')
  expect((await run.approve('1.c3')).answer).toBe(expected)
})

test('DEC-06 cancels a call whose request expired, as soon as somebody drives the run', async () => {
  const { run, store, clock } = await paused()
  await run.decide([resume('1.c1'), resume('1.c2')])
  await run.settled()
  clock.advance(2000)
  expect(await store.due(clock.now())).toEqual([runId])

  expect((await run.settled()).text).toBe('Bye')
  expect(await resultsOf(store, runId)).toMatchObject({
    '1.c3': '[Cancelled: no decision came before the request expired.]',
  })
  expect(await statusesOf(store, runId)).toMatchObject({ '1.c3': 'cancelled' })
})

test('DEC-06 lets an answer in time win over a timer that fires late', async () => {
  const { run, store, clock } = await paused()
  await run.decide([resume('1.c1'), resume('1.c2'), resume('1.c3')])
  clock.advance(2000)

  expect((await run.settled()).text).toBe('Bye')
  expect(await statusesOf(store, runId)).toMatchObject({ '1.c3': 'succeeded' })
})

test('DEC-05 DEC-06 needs a second answer for a second suspension; a double click does not count (S23)', async () => {
  const { done, askAgain } = toolbox()
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'ask')), 'Bye'], tools: [askAgain('ask', 2)] })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  const first = await suspensionOf(store, runId, '1.c1')
  await run.approve(first)
  const again = await run.settled()
  const second = await suspensionOf(store, runId, '1.c1')

  expect(again.suspended.map(({ suspension }) => suspension)).toEqual([
    { id: second, reason: 'input', message: 'question 2' },
  ])
  expect(second).not.toBe(first)
  expect((await run.approve(first)).answer).toBe('duplicate')
  expect((await run.deny(first)).answer).toBe('stale')
  expect((await run.settled()).status).toBe('waiting')
  expect((await run.approve('1.c1')).answer).toBe('applied')
  expect((await run.settled()).text).toBe('Bye')
  expect(done.length).toBe(3)
  expect((await run.approve('1.c1')).answer).toBe('duplicate')
  expect((await run.deny('1.c1')).answer).toBe('stale')
})

test('DEC-06 judges a retry for an earlier suspension and an answer to the open one separately (S25)', async () => {
  const { askAgain } = toolbox()
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'ask')), 'Bye'], tools: [askAgain('ask', 2)] })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  const first = await suspensionOf(store, runId, '1.c1')
  await run.approve(first)
  await run.settled()
  const receipts = await run.decide([resume(first), cancel('1.c1')])

  expect(receipts.map(({ answer }) => answer)).toEqual(['duplicate', 'applied'])
  expect((await run.settled()).text).toBe('Bye')
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'cancelled' })
})

test('DEC-06 matches a replaying call to its last suspension: the same answer is a duplicate, another is stale', async () => {
  const held = heldTool('held', { needs: 'approval' })
  const { agent } = testAgent({ replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.approve()
  const end = run.settled()
  await held.begins('1.c1')

  expect([(await run.approve('1.c1')).answer, (await run.deny('1.c1')).answer]).toEqual(['duplicate', 'stale'])
  held.finish('1.c1')
  expect((await end).text).toBe('Bye')
  expect(held.begun).toEqual(['1.c1'])
})

test('DEC-06 treats an answer that does not fit a settled call as stale, and keeps it for a call that never suspended', async () => {
  const input = { type: 'object', properties: { n: { type: 'number' } } }
  const held = heldTool('held', { input })
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'held')), 'Bye'], tools: [held.tool] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await held.begins('1.c1')
  const [kept] = await run.decide([resume('1.c1', { input: { n: 'x' } })])
  held.finish('1.c1')
  await end
  const [late] = await run.decide([resume('1.c1', { input: { n: 'y' } })])

  expect([kept?.answer, late?.answer]).toEqual(['kept', 'stale'])
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'succeeded' })
})

test("DEC-06 TC-01 accepts a provider's id only if a single call ever had it", async () => {
  const { act } = toolbox()
  const { agent } = testAgent({
    replies: [calls(call('fc-0', 'act'), call('fc-0', 'act')), 'Bye'],
    tools: [act('act', { needs: 'approval' })],
  })
  const { suspended } = await agent.run('Hi', { runId })
  const run = await agent.load(runId)

  expect(suspended.map(({ callId, toolCallId }) => [callId, toolCallId])).toEqual([
    ['1.fc-0', 'fc-0'],
    ['1.fc-0.2', 'fc-0'],
  ])
  expect((await run.approve('fc-0')).answer).toBe('unknown')
  await run.approve('1.fc-0')
  await run.settled()
  expect((await run.approve('fc-0')).answer).toBe('unknown')
  expect((await run.approve()).answer).toBe('applied')
  expect((await run.settled()).text).toBe('Bye')
})

test.for(['approve', 'deny'] as const)('DEC-06 asks for a target if several calls are suspended (%s)', async (verb) => {
  const { run } = await paused()
  await expect(run[verb]()).rejects.toMatchObject({ name: 'UsageError', code: 'ambiguous_call' })
})
