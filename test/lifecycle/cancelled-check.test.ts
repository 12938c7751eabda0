import { expect, test } from 'vitest'
import type { StandardSchema } from '../../src/ports.ts'
import { tool } from '../../src/index.ts'
import { call, calls } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'

test('RUN-07 executes no tool if the run was cancelled while the arguments were checked', async () => {
  const checking = Promise.withResolvers<void>()
  const checked = Promise.withResolvers<void>()
  let checks = 0
  const input: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      // The plan checks first; the performance checks again.
      validate: async (value) => {
        if (++checks < 2) return { value }
        checking.resolve()
        await checked.promise
        return { value }
      },
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  }
  let executed = 0
  const act = tool({ name: 'act', description: 'Acts.', input, execute: () => `${++executed}` })
  const { agent } = testAgent({ replies: [calls(call('c1', 'act')), 'Bye'], tools: [act] })
  const run = agent.start('Hi', { runId })
  const end = run.settled()
  await checking.promise
  await run.cancel()
  expect((await end).outcome.reason).toBe('cancelled')
  checked.resolve()
  await checked.promise
  await new Promise((resolve) => setImmediate(resolve))
  expect({ checks, executed }).toEqual({ checks: 2, executed: 0 })
})
