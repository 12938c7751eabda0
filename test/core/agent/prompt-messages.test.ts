import { expect, test } from 'vitest'
import { createActor, toPromise } from 'xstate'
import type { Prompt } from '../../../src/ports.ts'
import { userMessage } from '../../../src/index.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'

const said = { role: 'user', content: 'Hi' } as const

test.each<readonly [string, Prompt]>([
  ['one message of a text', said],
  ['a list of them', [said]],
  ['one of blocks without a time', { role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
])('AGT-01 takes %s for a prompt, and keeps it as a text of now', async (_, prompt) => {
  const { agent, clock } = testAgent({ replies: ['Bye'] })
  const now = clock.now()
  const { messages } = await agent.run(prompt, { runId })
  expect(messages[0]).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'Hi' }], timestamp: now })
  const again = agent.start(prompt, { runId, ifExists: 'attach' })
  expect((await again.settled()).text).toBe('Bye')
})

test('AGT-03 RUN-09 what is said to a run under way, and to a bare actor, may be such a message too', async () => {
  const { agent, prompts } = testAgent({ replies: ['1', '2'] })
  const run = agent.start(said, { drive: false })
  await run.followUp(said)
  await run.settled()
  expect(prompts[1]).toEqual(['user: Hi', 'assistant: 1', 'user: Hi'])
  const { text } = await toPromise(createActor(agent.machine, { input: said }).start())
  expect(text).toBe('1')
})

test.each([
  [{ role: 'user', content: ' ' }, 'The prompt is empty.'],
  [{ role: 'user' }, 'The prompt is not readable.'],
  [{ role: 'user', content: 7 }, 'The prompt is not readable.'],
  [{ role: 'user', content: 'Hi', timestamp: 'noon' }, 'The prompt is not readable.'],
  [{ role: 'assistant', content: 'Hi' }, 'The prompt is not readable.'],
])('AGT-01 refuses %j as a prompt', async (prompt, message) => {
  const { agent } = testAgent({ replies: ['Bye'] })
  await expect(agent.run(prompt as never)).rejects.toMatchObject({
    code: 'bad_prompt',
    message: expect.stringContaining(message),
  })
})

test('AGT-01 a message made without a time is said now', () => {
  const before = Date.now()
  const { timestamp } = userMessage('Hi')
  expect(timestamp).toBeGreaterThanOrEqual(before)
  expect(timestamp).toBeLessThanOrEqual(Date.now())
  expect(userMessage('Hi', 5).timestamp).toBe(5)
})
