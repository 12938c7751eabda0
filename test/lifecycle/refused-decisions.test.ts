import { expect, test } from 'vitest'
import type { Decision, Run } from '../../src/index.ts'
import type { ResumeMode } from '../../src/ports.ts'
import { call, calls } from '../../proof/support/say.ts'
import { resultsOf } from '../../proof/support/read-run.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'

/** A run that waits on one call `1.c1` of a tool that is resumed in this mode. */
async function waiting(resume: ResumeMode = 'replay') {
  const { done, act } = toolbox()
  const built = testAgent({
    replies: [calls(call('c1', 'act', { n: 1 })), 'Bye'],
    tools: [act('act', { needs: 'approval', resume })],
  })
  const run = built.agent.start('Hi', { runId })
  await run.settled()
  return { ...built, run, done }
}

const cancelWish = 'say why in "reason".'

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  [
    'an edit under another name',
    { action: 'resume', arguments: { n: 2 } },
    '"arguments" is not a field of a decision. A decision has target,',
  ],
  [
    'a misspelt edit',
    { action: 'resume', inputs: { n: 2 } },
    '"inputs" is not a field of a decision. Did you mean "input"?',
  ],
  [
    'a misspelt reason',
    { action: 'cancel', reasn: 'no' },
    '"reasn" is not a field of a decision. Did you mean "reason"?',
  ],
  ['an input without a value', { action: 'resume', input: undefined }, '"input" has no value.'],
  ['a result without a value', { action: 'resume', result: undefined }, '"result" has no value.'],
  ['a cancel with an input', { action: 'cancel', input: {} }, `"cancel" reads no "input"; ${cancelWish}`],
  ['a cancel with a result', { action: 'cancel', result: 0 }, `"cancel" reads no "result"; ${cancelWish}`],
  ['a cancel with a mode', { action: 'cancel', mode: 'replay' }, `"cancel" reads no "mode"; ${cancelWish}`],
  [
    'a result for a call that runs again',
    { action: 'resume', result: 'paid' },
    'A replayed call takes no "result". To give its result, answer with "respond".',
  ],
  ['the same, said outright', { action: 'resume', mode: 'replay', result: null }, 'A replayed call takes no "result".'],
  [
    'an input for a result',
    { action: 'resume', mode: 'use-as-result', input: {}, result: 1 },
    'To run it with other arguments, answer with "edit".',
  ],
  [
    'an input for a value',
    { action: 'resume', mode: 'pass-to-tool', input: {}, result: {} },
    'To give the value, answer with "pass".',
  ],
])('DEC-06 refuses %s; nothing runs and the call stays suspended', async (_what, decision, message) => {
  const { run, store, done } = await waiting()
  const [receipt] = await run.decide([{ target: '1.c1', ...decision } as Decision])
  expect(receipt).toEqual({ target: '1.c1', answer: 'refused', message: expect.stringContaining(message) })
  const [direct] = await store.decide(runId, [{ target: '1.c1', ...decision } as Decision], 0)
  expect(direct).toMatchObject({ answer: 'refused', message: expect.stringContaining(message) })
  expect(await store.inbox(runId, { kinds: ['decision'] })).toEqual([])
  expect((await run.settled()).status).toBe('waiting')
  expect(done).toEqual([])
})

test.each<[string, (run: Run) => Promise<unknown>]>([
  ['edit', async (run) => run.edit('1.c1', undefined as never)],
  ['respond', async (run) => run.respond('1.c1', undefined as never)],
  ['pass', async (run) => run.pass('1.c1', undefined as never)],
])('DEC-06 refuses %s without a value', async (_verb, answer) => {
  const { run, done } = await waiting()
  expect(await answer(run)).toMatchObject({ answer: 'refused', message: expect.stringContaining('has no value') })
  expect(done).toEqual([])
})

test("DEC-06 accepts a forwarded decision's time of receipt, but counts its own time", async () => {
  const { run, store, clock } = await waiting()
  const [receipt] = await run.decide([{ target: '1.c1', action: 'resume', at: 5 } as Decision])
  expect(receipt?.answer).toBe('applied')
  expect(await store.inbox(runId, { kinds: ['decision'] })).toMatchObject([{ item: { decision: { at: clock.now() } } }])
})

test.each(['use-as-result', 'pass-to-tool'] as const)(
  'DEC-06 refuses an edit of a call that is resumed by %s, before or after it suspends',
  async (resume) => {
    const { run, store } = await waiting(resume)
    expect(await run.edit('1.c1', { n: 2 })).toMatchObject({
      answer: 'refused',
      message: expect.stringContaining('takes no "input"'),
    })
    expect(await store.inbox(runId, { kinds: ['decision'] })).toEqual([])
  },
)

test('DEC-03 respond passes a value to a call, and reports a missing value', async () => {
  const { run, store, done } = await waiting('pass-to-tool')
  expect(await run.approve('1.c1')).toEqual({
    target: '1.c1',
    answer: 'refused',
    message: 'Call "1.c1" asks for a value to run with. Give one with "pass".',
  })
  expect(await run.pass('1.c1', { n: 7 }, { by: 'anna' })).toMatchObject({ answer: 'applied' })
  expect((await run.settled()).status).toBe('done')
  expect(done).toEqual(['act {"n":7}'])
  expect(await resultsOf(store, runId)).toEqual({
    '1.c1': '[A person changed the arguments of this call to: {"n":7}] | act done',
  })
})

test.each<[string, (run: Run) => Promise<unknown>]>([
  ['approve', (run) => run.approve()],
  ['deny', (run) => run.deny()],
  ['respond', (run) => run.respond(undefined, 1)],
  ['pass', (run) => run.pass(undefined, { n: 1 })],
  ['edit', (run) => run.edit(undefined, { n: 2 })],
])('DEC-06 %s without a target answers the suspension it resolved, and no later one', async (_verb, answer) => {
  const { run, store } = await waiting()
  const { suspended } = await run.result()
  await answer(run)
  const rows = await store.inbox(runId, { kinds: ['decision'] })
  expect(rows).toMatchObject([{ item: { decision: { target: suspended[0]?.suspension?.id } } }])
})

test("DEC-06 a second click on a provider's id never approves a newer call of that id", async () => {
  const { done, act } = toolbox()
  const again = calls(call('fc-0', 'act'))
  const { agent } = testAgent({ replies: [again, again, 'Bye'], tools: [act('act', { needs: 'approval' })] })
  const run = agent.start('Hi', { runId })
  await run.settled()
  expect(await run.approve('fc-0')).toMatchObject({ answer: 'applied' })
  expect((await run.settled()).suspended.map(({ callId }) => callId)).toEqual(['2.fc-0'])

  expect(await run.approve('fc-0')).toMatchObject({ answer: 'unknown' })
  await run.cancelCall('fc-0')
  expect((await run.settled()).suspended.map(({ callId }) => callId)).toEqual(['2.fc-0'])
  expect(done).toEqual(['act {}'])
})
