import { expect, test } from 'vitest'
import type { CompactionOptions } from '../../src/ports.ts'
import type { Model, Plugin } from '../../src/index.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { call, calls } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolNamed } from '../../proof/support/tools.ts'

/** A model that plays replies and keeps, for each request, the count of answers and the answers in its messages. */
function counted(replies: readonly ScriptedReply[]) {
  const asked: (readonly [number | undefined, number])[] = []
  const inner = scripted(replies, { now: () => start })
  const model: Model = {
    ...inner,
    stream(request) {
      asked.push([request.answers, request.messages.filter(({ role }) => role === 'assistant').length])
      return inner.stream(request)
    },
  }
  return { model, asked }
}

const small: CompactionOptions = { budget: 1000, systemTokens: 100, keepFirst: 1, keepLast: 2 }

test('CTX-01 PRV-02 plays each scripted reply once, with any part of the prompt removed by compaction', async () => {
  const turns = 12
  const made: string[] = []
  const look = toolNamed('look', (input) => {
    made.push(JSON.stringify(input))
    return 'r'.repeat(1_000)
  })
  const replies = Array.from({ length: turns }, (_, page) => calls(call('c', 'look', { page })))
  const { model, asked } = counted([...replies, 'Done.', 'Bye.'])
  const { agent, store, clock } = testAgent({ model, tools: [look], compaction: small })
  const run = agent.start('Look at all pages', { runId })
  expect((await run.settled()).text).toBe('Done.')
  expect(made).toEqual(Array.from({ length: turns }, (_, page) => JSON.stringify({ page })))
  expect(asked.map(([answers]) => answers)).toEqual(Array.from({ length: turns + 1 }, (_, turn) => turn))
  expect(asked.at(-1)?.[1]).toBeLessThan(turns)
  await agent.close()

  const next = testAgent({ model, tools: [look], compaction: small, store, clock, process: 'p2' })
  const again = await (await next.agent.load(runId)).prompt('And now?', { runId: 'run-2' })
  expect((await again.settled()).text).toBe('Bye.')
  expect(asked.at(-1)?.[0]).toBe(turns + 1)
})

test('PRV-02 PH-01 counts the parts of an answer that was cut off, and keeps the count that a plugin changes', async () => {
  const plugin: Plugin = { name: 'odd', transformRequest: (request) => ({ ...request, answers: 9 }) }
  const { model, asked } = counted([{ text: 'One, ', stopReason: 'length' }, 'two.'])
  const { agent } = testAgent({ model, plugins: [plugin] })
  expect((await agent.run('Count', { runId })).text).toBe('One, two.')
  expect(asked.map(([answers]) => answers)).toEqual([0, 1])
})
