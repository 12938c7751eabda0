import { expect, test } from 'vitest'
import { hintAfterFailures } from '../../../src/core/plugins/index.ts'
import { transcriptOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { toolbox, toolNamed } from '../../../proof/support/tools.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'

test('PH-01 tells the model in one prompt how many times in a row a tool has failed', async () => {
  const { fail, act } = toolbox()
  const { agent, store, prompts } = testAgent({
    replies: [
      calls(call('a', 'fail')),
      calls(call('b', 'fail'), call('c', 'act')),
      calls(call('d', 'fail')),
      calls(call('e', 'act')),
      'Bye',
    ],
    tools: [fail(), act()],
    plugins: [hintAfterFailures({ after: 2 })],
    limits: { repeat: 0 },
  })
  await agent.run('Hi', { runId })

  const hints = prompts.map((lines) => lines.filter((line) => line.includes('in a row')))
  expect(hints).toEqual([
    [],
    [],
    ['user: [Tool "fail" has failed 2 times in a row. Try another way.]'],
    ['user: [Tool "fail" has failed 3 times in a row. Try another way.]'],
    [],
  ])
  expect(prompts[2]?.at(-1)).toBe(hints[2]?.[0])
  expect((await transcriptOf(store, runId)).join('\n')).not.toContain('in a row')
})

test('PH-01 counts from zero after a successful result', async () => {
  let count = 0
  const flaky = toolNamed('flaky', () => {
    if (++count === 2) return 'fine'
    throw new Error('boom')
  })
  const { agent, prompts } = testAgent({
    replies: [calls(call('a', 'flaky')), calls(call('b', 'flaky')), calls(call('c', 'flaky')), 'Bye'],
    tools: [flaky],
    plugins: [hintAfterFailures({ after: 1, text: (toolName, failures) => `${toolName}: ${failures}` })],
  })
  await agent.run('Hi', { runId })
  expect(prompts.map((lines) => lines.at(-1))).toEqual([
    'user: Hi',
    'user: flaky: 1',
    'result 2.b: fine',
    'user: flaky: 1',
  ])
})

test.each([
  [{ after: 0 }, /Option after of hintAfterFailures is 0, which is refused. Expected a whole number of 1 or more./],
  [{ text: 'Stop' as never }, /Option text of hintAfterFailures/],
])('PH-01 refuses an invalid option: %o', (options, why) => {
  expect(() => hintAfterFailures(options)).toThrow(why)
})
