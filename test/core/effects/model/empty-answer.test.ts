import { expect, test } from 'vitest'
import { createAgent } from '../../../../src/core/agent/create-agent.ts'
import { type ScriptedAnswer, scripted } from '../../../../src/adapters/providers/scripted.ts'

const cut = { stopReason: 'length' } as const

/** The last text of a run whose model gives these answers in turn. */
async function ended(...answers: readonly (string | ScriptedAnswer)[]) {
  const model = scripted(answers, { by: 'calls' })
  const retry = { maxRetries: 1, initialDelayMs: 0 }
  const { outcome, text } = await createAgent({ name: 'clerk', model, retry }).run('Hi')
  return { reason: outcome.reason, text, ...(outcome.reason === 'error' ? { error: outcome.error?.message } : {}) }
}

test.each([
  ['no text', ''],
  ['white space', ' \n'],
  ['thoughts alone', { thinking: 'Hm.' }],
  ['thoughts up to the limit', { thinking: 'Hm.', ...cut }],
])('PRV-01 PRV-05 asks again after an answer with %s', async (_, answer) => {
  expect(await ended(answer, 'Hello')).toEqual({ reason: 'natural_end', text: 'Hello' })
})

test('PRV-01 PRV-05 ends with the error that the model gave no answer', async () => {
  const error = 'The model scripted/scripted gave an answer without text or calls'
  expect(await ended('', '')).toEqual({ reason: 'error', text: '', error: `${error}.` })
  const why = 'its limit of tokens was reached before the first word. Raise maxTokens'
  expect(await ended(cut, cut)).toEqual({ reason: 'error', text: '', error: `${error}: ${why}.` })
})

test('RUN-02 keeps the first part of a cut answer if its continuation is empty', async () => {
  expect(await ended({ text: 'Hello', ...cut }, '')).toEqual({ reason: 'natural_end', text: 'Hello' })
})

test('PRV-01 keeps an answer that ended for an unknown reason, with a warning', async () => {
  const model = scripted([{ text: 'Hello', errorMessage: 'It stopped for an unknown reason: "x".' }])
  const run = createAgent({ name: 'clerk', model }).start('Hi')
  expect(await run.settled()).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Hello' })
  const messages = await run.messages()
  expect(messages.at(-1)).toMatchObject({ stopReason: 'stop', errorMessage: expect.stringContaining('"x"') })
})
