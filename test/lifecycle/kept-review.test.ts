import { expect, test } from 'vitest'
import type { Decision } from '../../src/index.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'

test.for<{ readonly action: Decision['action']; readonly status: string }>([
  { action: 'resume', status: 'succeeded' },
  { action: 'cancel', status: 'cancelled' },
])('TC-04 DEC-04 reviews a suspension before a kept $action answers it', async ({ action, status }) => {
  const reviewed: string[] = []
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const asking = toolNamed('asking', async (_, context) => {
    if (context.decision !== undefined) return 'told'
    begun.resolve()
    await gate.promise
    return context.suspend()
  })
  const { agent } = testAgent({
    replies: [calls(call('c1', 'asking')), 'Bye'],
    tools: [asking],
    plugins: [{ name: 'reviewing', reviewCall: ({ call: record }) => void reviewed.push(record.status) }],
  })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await begun.promise
  const [receipt] = await run.decide([{ target: '1.c1', action }])
  gate.resolve()

  expect([receipt?.answer, (await end).text]).toEqual(['kept', 'Bye'])
  expect(reviewed).toEqual(['suspended', status])
})
