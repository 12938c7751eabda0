import { afterEach, expect, test, vi } from 'vitest'
import { compatible, type PresetName, presets } from '../../../src/adapters/providers/openai-chat/presets.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import { chatChunk, chatWire } from '../../../proof/wires/chat-wire.ts'
import { ask, requestOf } from './ask.ts'
import { assistant, call, clock, result, user } from './history.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const names = Object.keys(presets).filter((name): name is PresetName => Object.hasOwn(presets, name))

const everything = requestOf({
  system: 'Be brief.',
  tools: [clock],
  requiredCall: true,
  maxTokens: 7,
  thinking: 'high',
  output: { name: 'answer', schema: { type: 'object' } },
  messages: [
    user('Go'),
    assistant([call('toolu_01ABCdef')], { provider: 'anthropic', model: 'claude-sonnet-5-5' }),
    result('toolu_01ABCdef'),
  ],
})

test.each(names)('PRV-02 asks %s at its own address, with the key of its variable', async (name) => {
  const { baseURL, variable } = presets[name]
  vi.stubEnv(variable, 'the key')
  const asked: { readonly url: string; readonly key: string | null }[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input)
    asked.push({ url, key: new Headers(init?.headers).get('authorization') })
    return new Response('{"error":{"message":"no"}}', { status: 400 })
  }
  const { error } = await ask(compatible(name, 'm', { fetch }))
  expect(asked).toEqual([{ url: `${baseURL}/chat/completions`, key: 'Bearer the key' }])
  expect(String(error)).toContain(`${name} answered HTTP 400: no`)
})

test.each(names)('PRV-02 sends %s only parameters that it understands', async (name) => {
  await using server = await faultServer(stream(chatWire.calls))
  const { events } = await ask(compatible(name, 'm', { apiKey: 'key', baseURL: server.url }), everything)
  const last = events.at(-1)
  const leftOut = last?.type === 'finished' ? (last.leftOut ?? []) : ['never finished']
  const { messages: _messages, tools: _tools, model: _model, ...body } = Object(server.requests[0]?.body)
  const ids = JSON.stringify(server.requests[0]?.body).match(/"tool_call_id":"([^"]*)"/)?.[1]
  const said = `${JSON.stringify({ leftOut, ids, ...body }, null, 2)}\n`
  await expect(said).toMatchFileSnapshot(`../../golden/requests/preset.${name}.txt`)
})

test('PRV-02 needs no key for a local server, and names the missing key for others', async () => {
  vi.stubEnv('OLLAMA_API_KEY', '')
  vi.stubEnv('GROQ_API_KEY', '')
  await using server = await faultServer(stream([...chatWire.opening, ...chatWire.closing]))
  vi.stubEnv('OLLAMA_BASE_URL', server.url)
  expect((await ask(compatible('ollama', 'qwen3'))).message).toMatchObject({ provider: 'ollama' })
  const { error } = await ask(compatible('groq', 'llama-4', { baseURL: server.url }))
  expect(String(error)).toContain('Set GROQ_API_KEY')
})

test('PRV-02 distinguishes calls without an index and an id', async () => {
  const part = (name: string | undefined, text: string) =>
    chatChunk({ tool_calls: [{ function: { ...(name === undefined ? {} : { name }), arguments: text } }] })
  const frames = [part('clock', '{}'), part('weather', '{"city":'), part(undefined, '"Oslo"}'), chatChunk({}, 'stop')]
  await using server = await faultServer(stream(frames))
  const { message } = await ask(compatible('ollama', 'qwen3', { baseURL: server.url }))
  expect(message?.content).toMatchObject([
    { id: 'call_0', name: 'clock', arguments: {} },
    { id: 'call_1', name: 'weather', arguments: { city: 'Oslo' } },
  ])
})

test('PRV-10 sends thinking back in the field in which a server accepts it', async () => {
  const thinking = {
    type: 'thinking',
    thinking: 'Hm.',
    providerData: { provider: 'groq', model: 'm', data: 'reasoning_content' },
  } as const
  const messages = [
    user('Go'),
    assistant([thinking, { type: 'text', text: 'ok' }], { provider: 'groq', model: 'm' }),
    user('On'),
  ]
  await using server = await faultServer(stream(chatWire.calls))
  await ask(compatible('groq', 'm', { apiKey: 'key', baseURL: server.url }), requestOf({ messages }))
  expect(Object(server.requests[0]?.body).messages[1]).toEqual({ role: 'assistant', content: 'ok', reasoning: 'Hm.' })
})
