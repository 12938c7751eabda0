import { expect, test } from 'vitest'
import { textOf } from '../../../src/core/domain/message.ts'
import { modelFromEnvironment } from '../../../src/adapters/providers/from-environment.ts'
import { modelRegistry } from '../../../src/adapters/providers/registry.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { ask, requestOf } from './ask.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { anthropicWire } from '../../../proof/wires/anthropic-wire.ts'
import { chatWire } from '../../../proof/wires/chat-wire.ts'

const anthropicKey = { ANTHROPIC_API_KEY: 'a' }
const openaiKey = { OPENAI_API_KEY: 'o' }

test.each([
  ['anthropic/claude-opus-5-5', anthropicKey, 'anthropic', 'claude-opus-5-5'],
  ['anthropic', anthropicKey, 'anthropic', 'claude-sonnet-5-5'],
  ['openai/gpt-6-luna', openaiKey, 'openai', 'gpt-6-luna'],
  ['openai/meta-llama/Llama-4', openaiKey, 'openai', 'meta-llama/Llama-4'],
  ['google', { GEMINI_API_KEY: 'g' }, 'google', 'gemini-3.8-flash'],
  ['groq/llama-4', { GROQ_API_KEY: 'q' }, 'groq', 'llama-4'],
  ['ollama/qwen3', {}, 'ollama', 'qwen3'],
  ['bedrock', {}, 'bedrock', 'us.anthropic.claude-sonnet-5'],
  ['vertex', { VERTEX_ACCESS_TOKEN: 't' }, 'vertex', 'gemini-3.8-flash'],
  ['azure/my-gpt', { AZURE_OPENAI_API_KEY: 'z' }, 'azure', 'my-gpt'],
  ['scripted', {}, 'scripted', 'scripted'],
  [undefined, anthropicKey, 'anthropic', 'claude-sonnet-5-5'],
  [undefined, openaiKey, 'openai', 'gpt-6.1-sol'],
  [undefined, { GEMINI_API_KEY: 'g' }, 'google', 'gemini-3.8-flash'],
  [undefined, { ...openaiKey, ...anthropicKey }, 'anthropic', 'claude-sonnet-5-5'],
  [undefined, { ...openaiKey, ANTHROPIC_API_KEY: '' }, 'openai', 'gpt-6.1-sol'],
])('PRV-02 PRV-08 reads the model %s with %o', (spec, env, provider, id) => {
  expect(modelFromEnvironment(spec, env)).toMatchObject({ provider, id })
})

test('PRV-02 lists the variables to set if none is set', () => {
  expect(() => modelFromEnvironment(undefined, {})).toThrow(
    'No model is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY or the key of another provider, or use --model scripted, which needs no key.',
  )
  expect(() => modelFromEnvironment('openai/gpt-6-luna', anthropicKey)).toThrow('OPENAI_API_KEY is not set')
  expect(() => modelFromEnvironment('anthropic', {})).toThrow('ANTHROPIC_API_KEY is not set')
  expect(() => modelFromEnvironment('groq', { GROQ_API_KEY: 'q' })).toThrow('Expected groq/<model>.')
})

test('PRV-02 refuses an unknown provider', () => {
  for (const spec of ['acme/one', 'constructor/x', '']) {
    expect(() => modelFromEnvironment(spec, anthropicKey)).toThrow(
      `The model "${spec}" is not known. Expected <provider>/<model> of: anthropic, openai, `,
    )
  }
})

test("PRV-02 uses OpenAI's Responses wire, and Chat Completions for a compatible server", async () => {
  const asked: string[] = []
  const fetch = async (input: string | URL | Request) => {
    asked.push(input instanceof Request ? input.url : String(input))
    return new Response('{"error":{"message":"no"}}', { status: 400 })
  }
  await ask(modelRegistry({}, openaiKey).model('openai/gpt-6.1-sol', { fetch }))
  await ask(modelRegistry({}, { ...openaiKey, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }).model('openai/m', { fetch }))
  expect(asked).toEqual(['https://api.openai.com/v1/responses', 'http://127.0.0.1:9/v1/chat/completions'])
})

test('PRV-08 accepts your own providers, which win over the built-in ones', async () => {
  const own = { make: (model: string) => scripted(['mine'], { id: model }), defaultModel: 'one' }
  const registry = modelRegistry({ acme: own, anthropic: own }, {})
  expect(registry.model('acme').id).toBe('one')
  expect(registry.model('anthropic/two')).toMatchObject({ provider: 'scripted', id: 'two' })
  expect((await ask(registry.model('acme/three'))).message).toMatchObject({ content: [{ text: 'mine' }] })
})

test('PRV-02 uses the keys and base URLs that it is given, not those of the process', async () => {
  await using openai = await faultServer(stream([...chatWire.opening, ...chatWire.closing]))
  await ask(modelFromEnvironment('openai', { ...openaiKey, OPENAI_BASE_URL: openai.url }))
  expect(openai.requests[0]?.headers).toMatchObject({ authorization: 'Bearer o' })

  await using anthropic = await faultServer(stream([...anthropicWire.opening, ...anthropicWire.closing]))
  await ask(modelFromEnvironment('anthropic', { ...anthropicKey, ANTHROPIC_BASE_URL: anthropic.url }))
  expect(anthropic.requests[0]?.headers).toMatchObject({ authorization: 'Bearer a' })
})

test('PRV-02 answers without a key, any number of times', async () => {
  const model = modelFromEnvironment('scripted', {})
  const { message } = await ask(model)
  expect(message && textOf(message)).toContain('You said "Hello".')
  const messages = message === undefined ? [] : [message, message]
  expect((await ask(model, requestOf({ messages }))).message).toBeDefined()
})
