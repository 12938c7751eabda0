import { expect, test } from 'vitest'
import { createActor, toPromise } from 'xstate'
import type { Prompt } from '../../../src/ports.ts'
import { userMessage } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'

const said = { role: 'user', content: 'Hi' } as const

test.each<readonly [string, Prompt]>([
  ['one message of a text', said],
  ['a list of them', [said]],
  ['one of blocks without a time', { role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
])('AGT-01 accepts %s as a prompt, and stores it as a text with the current time', async (_, prompt) => {
  const { agent, clock } = testAgent({ replies: ['Bye'] })
  const now = clock.now()
  const { messages } = await agent.run(prompt, { runId })
  expect(messages[0]).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'Hi' }], timestamp: now })
  const again = agent.start(prompt, { runId, ifExists: 'attach' })
  expect((await again.settled()).text).toBe('Bye')
})

test('AGT-03 RUN-09 accepts such a message also for steering a run and a bare actor', async () => {
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
  [{ role: 'user' }, 'The prompt is invalid.'],
  [{ role: 'user', content: 7 }, 'The prompt is invalid.'],
  [{ role: 'user', content: 'Hi', timestamp: 'noon' }, 'The prompt is invalid.'],
  [{ role: 'assistant', content: 'Hi' }, 'The prompt is invalid.'],
])('AGT-01 refuses %j as a prompt', async (prompt, message) => {
  const { agent } = testAgent({ replies: ['Bye'] })
  await expect(agent.run(prompt as never)).rejects.toMatchObject({
    code: 'bad_prompt',
    message: expect.stringContaining(message),
  })
})

test('AGT-01 gives a message without a time the current time', () => {
  const before = Date.now()
  const { timestamp } = userMessage('Hi')
  expect(timestamp).toBeGreaterThanOrEqual(before)
  expect(timestamp).toBeLessThanOrEqual(Date.now())
  expect(userMessage('Hi', 5).timestamp).toBe(5)
})

const png = 'iVBORw0KGgo='
const pdf = Buffer.from('%PDF-1.7').toString('base64')
const takesPictures = {
  pictures: { types: ['image/png'], bytes: 100, count: 1 },
  files: { types: [], bytes: 0, count: 0 },
}

test('PRV-11 keeps pictures and files of a prompt, in either spelling and as bytes', async () => {
  const { agent } = testAgent({ replies: ['Seen'] })
  const { messages } = await agent.run({
    role: 'user',
    content: [
      { type: 'image', image: new Uint8Array(Buffer.from(png, 'base64')), mediaType: 'image/png' },
      { type: 'file', data: Buffer.from('%PDF-1.7'), filename: 'a.pdf' },
      { type: 'file', url: `data:application/pdf;base64,${pdf}` },
    ],
  })
  expect(messages[0]).toMatchObject({
    content: [
      { type: 'image', data: png, mimeType: 'image/png' },
      { type: 'file', data: pdf, mediaType: 'application/pdf', name: 'a.pdf' },
      { type: 'file', data: pdf, mediaType: 'application/pdf' },
    ],
  })
})

test('PRV-11 refuses a file that no model accepts before anything is stored, and lists what each model accepts', async () => {
  const { agent, store } = testAgent({ model: { ...scripted(['Seen']), media: takesPictures } })
  const prompt = { role: 'user', content: [{ type: 'file', data: pdf, name: 'a.pdf' }] } as const
  const refusal = {
    code: 'bad_prompt',
    message:
      'The prompt is invalid. Block 0 of message 0: A file "a.pdf" of type application/pdf is refused: ' +
      'the model cannot read it. scripted/scripted takes image/png.',
  }
  await expect(agent.run(prompt)).rejects.toMatchObject(refusal)
  await expect(agent.session('talk').prompt(prompt)).rejects.toMatchObject(refusal)
  expect(await store.list()).toEqual([])
  const run = agent.start('Hi')
  await expect(run.steer(prompt)).rejects.toMatchObject(refusal)
  expect((await run.settled()).text).toBe('Seen')
})
