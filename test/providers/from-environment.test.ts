import { expect, test } from 'vitest'
import { textOf } from '../../src/domain/message.ts'
import { modelFromEnvironment } from '../../src/providers/from-environment.ts'
import { ask, requestOf } from './ask.ts'
import { faultServer, stream } from '../../proof/wires/fault-server.ts'
import { anthropicWire } from '../../proof/wires/anthropic-wire.ts'
import { chatWire } from '../../proof/wires/chat-wire.ts'

const anthropicKey = { ANTHROPIC_API_KEY: 'a' }
const openaiKey = { OPENAI_API_KEY: 'o' }

test.each([
  ['anthropic/claude-opus-5-5', anthropicKey, 'anthropic', 'claude-opus-5-5'],
  ['anthropic', anthropicKey, 'anthropic', 'claude-sonnet-5-5'],
  ['openai/gpt-6-luna', openaiKey, 'openai', 'gpt-6-luna'],
  ['openai/meta-llama/Llama-4', openaiKey, 'openai', 'meta-llama/Llama-4'],
  ['scripted', {}, 'scripted', 'scripted'],
  [undefined, anthropicKey, 'anthropic', 'claude-sonnet-5-5'],
  [undefined, openaiKey, 'openai', 'gpt-6.1-sol'],
  [undefined, { ...openaiKey, ...anthropicKey }, 'anthropic', 'claude-sonnet-5-5'],
  [undefined, { ...openaiKey, ANTHROPIC_API_KEY: '' }, 'openai', 'gpt-6.1-sol'],
])('PRV-02 takes %s with %o for a model', (spec, env, provider, id) => {
  expect(modelFromEnvironment(spec, env)).toMatchObject({ provider, id })
})

test('PRV-02 says what to set where nothing is', () => {
  expect(() => modelFromEnvironment(undefined, {})).toThrow(
    'No model is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or use --model scripted, which needs no key.',
  )
  expect(() => modelFromEnvironment('openai/gpt-6-luna', anthropicKey)).toThrow('OPENAI_API_KEY is not set.')
  expect(() => modelFromEnvironment('anthropic', {})).toThrow('ANTHROPIC_API_KEY is not set.')
})

test('PRV-02 refuses a provider it does not know', () => {
  expect(() => modelFromEnvironment('acme/one', anthropicKey)).toThrow(
    'The model "acme/one" is not known. Expected anthropic/<model>, openai/<model> or scripted.',
  )
})

test('PRV-02 uses the keys and base URLs it is given, not those of the process', async () => {
  await using openai = await faultServer(stream([...chatWire.opening, ...chatWire.closing]))
  await ask(modelFromEnvironment('openai', { ...openaiKey, OPENAI_BASE_URL: openai.url }))
  expect(openai.requests[0]?.headers).toMatchObject({ authorization: 'Bearer o' })

  await using anthropic = await faultServer(stream([...anthropicWire.opening, ...anthropicWire.closing]))
  await ask(modelFromEnvironment('anthropic', { ...anthropicKey, ANTHROPIC_BASE_URL: anthropic.url }))
  expect(anthropic.requests[0]?.headers).toMatchObject({ authorization: 'Bearer a' })
})

test('PRV-02 answers without a key, as often as it is asked', async () => {
  const model = modelFromEnvironment('scripted', {})
  const { message } = await ask(model)
  expect(message && textOf(message)).toContain('You said "Hello".')
  const messages = message === undefined ? [] : [message, message]
  expect((await ask(model, requestOf({ messages }))).message).toBeDefined()
})
