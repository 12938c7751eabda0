import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

async function waiting() {
  const { act } = toolbox()
  const { agent, store } = testAgent({
    replies: [calls(call('a', 'act')), 'Done.'],
    tools: [{ ...act(), needs: 'approval' }],
  })
  const run = agent.start('Go', { runId })
  await run.settled()
  return { run, store }
}

test.each([
  ['of another type', 7, '"reason" is number; expected a string.'],
  ['too long', 'x'.repeat(1_000_001), '"reason" is too large: at most 1000000 bytes of JSON are accepted.'],
])('RUN-05 refuses %s as the reason of a cancel, as for a denial, and stores nothing', async (_, reason, message) => {
  const { run, store } = await waiting()
  const given = reason as string
  expect(await run.deny('1.a', { reason: given })).toEqual({ target: '1.a', answer: 'refused', message })
  expect(await run.cancelCall('1.a', given)).toEqual({ target: '1.a', answer: 'refused', message })
  expect(await run.cancel(given)).toEqual({ target: runId, answer: 'refused', message })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
  expect((await run.result()).status).toBe('waiting')
})

test('RUN-05 accepts the same reasons for a cancel as for a denial', async () => {
  const { run } = await waiting()
  expect(await run.cancelCall('1.a', 'x'.repeat(900_000))).toMatchObject({ answer: 'applied' })
  expect(await run.cancel('late')).toMatchObject({ answer: 'applied' })
})

test.each([
  ['Too late.', { reason: 'cancelled', error: { code: 'run_cancelled', message: 'Too late.' } }],
  [undefined, { reason: 'cancelled' }],
] as const)('RUN-05 stores the reason of a cancel in the outcome: %s', async (reason, outcome) => {
  const { run, store } = await waiting()
  await run.cancel(reason)
  expect((await run.settled()).outcome).toEqual(outcome)
  const { doneReason, error } = await store.record(runId)
  expect({ reason: doneReason, ...(error === undefined ? {} : { error }) }).toEqual(outcome)
})
