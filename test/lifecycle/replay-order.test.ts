import { expect, test } from 'vitest'
import type { Decision } from '../../src/index.ts'
import { resultsOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'

const resume = (target: string): Decision => ({ target, action: 'resume' })

/** A waiting run of calls `z`, `m` and `a`, whose tool writes down which of them it runs. */
async function waitingRun(extras: { readonly concurrency?: 'exclusive' } = {}) {
  const ran: string[] = []
  const body = toolNamed('gated', (_, { callId }) => `run ${ran.push(callId)}`, { needs: 'approval', ...extras })
  const built = testAgent({
    replies: [calls(call('z', 'gated'), call('m', 'gated'), call('a', 'gated')), 'Bye'],
    tools: [body],
  })
  const run = built.agent.start('Hi', { runId })
  await run.settled()
  return { ...built, run, ran }
}

test.for([
  { what: 'parallel calls', extras: {} },
  { what: 'exclusive calls', extras: { concurrency: 'exclusive' as const } },
])("DEC-02 DEC-03 replays $what in the model's order, whatever the order of the answers", async ({ extras }) => {
  const { run, ran, store } = await waitingRun(extras)
  await run.decide([resume('1.a'), resume('1.m'), resume('1.z')])

  expect((await run.settled()).text).toBe('Bye')
  expect(ran).toEqual(['1.z', '1.m', '1.a'])
  expect(await resultsOf(store, runId)).toEqual({ '1.z': 'run 1', '1.m': 'run 2', '1.a': 'run 3' })
})

test('DEC-09 DEC-02 a cancel keeps its place among the answers that arrived with it', async () => {
  const { run, ran, store, clock } = await waitingRun()
  await store.decide(runId, [resume('1.a')], clock.now())
  await store.post(runId, { kind: 'cancelCall', callId: '1.m', reason: 'Not this one' }, clock.now())
  await store.decide(runId, [resume('1.m'), resume('1.z')], clock.now())

  expect((await run.settled()).text).toBe('Bye')
  expect(ran).toEqual(['1.a', '1.z'])
  expect(await resultsOf(store, runId)).toEqual({ '1.z': 'run 2', '1.m': 'Not this one', '1.a': 'run 1' })
})
