import { describe, expect, test } from 'vitest'
import type { ToolContext, ToolReturn } from '../../src/core/ports/tool.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { resultsOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolNamed } from '../../proof/support/tools.ts'

const replies = [calls(call('c1', 'pay')), 'Bye']

describe('TC-08 unawaited steps', () => {
  const later = new Promise<never>(() => {})

  test.for<[string, (context: ToolContext) => ToolReturn | Promise<ToolReturn>, string]>([
    [
      'fails',
      async ({ step }) => {
        void step('charge', () => Promise.reject(new Error('card refused')))
        await step('other', () => 1)
        return 'done'
      },
      'Tool "pay" failed: Step "charge" failed: card refused. Await every step before returning.',
    ],
    [
      'is refused',
      async ({ step }) => {
        void step('', () => 1)
        await step('other', () => 1)
        return 'done'
      },
      'Tool "pay" failed: Step "" failed: A step of tool "pay" has no name that can be kept. Expected a text of 1 to 200 characters. Await every step before returning.',
    ],
    [
      'has not ended',
      ({ step }) => {
        void step('charge', () => later)
        return 'done'
      },
      'Tool "pay" failed: Step "charge" was still running when the tool returned, and is not kept. Await every step before returning.',
    ],
    [
      'ends well',
      async ({ step }) => {
        void step('charge', () => 1)
        await step('other', () => 1)
        await new Promise((resolve) => setImmediate(resolve))
        return 'done'
      },
      'done',
    ],
    [
      'is heard elsewhere',
      async ({ step }) => {
        step('charge', () => Promise.reject(new Error('card refused'))).catch(() => {})
        return await Promise.race([step('slow', () => later), step('quick', () => 'first')])
      },
      'first',
    ],
  ])('TC-08 an unawaited step that %s ends its call, but not the process', async ([, execute, told]) => {
    const store = memoryStore()
    const pay = toolNamed('pay', async (_: unknown, context: ToolContext) => await execute(context))
    await testAgent({ replies, tools: [pay], store }).agent.run('Hi', { runId })
    await new Promise((resolve) => setImmediate(resolve))
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': told })
  })
})
