import { expect, test } from 'vitest'
import { call, calls, say } from '../../../proof/support/say.ts'
import { eventsOf, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import type { Session } from '../../../src/index.ts'

const linesOf = async (session: Session) => (await session.messages()).map(say)

const transcripts = {
  'openai-chat': [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Weather in Oslo?' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'Hm.',
      tool_calls: [{ id: 'w1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    },
    { role: 'tool', tool_call_id: 'w1', content: 'Rain' },
    { role: 'assistant', content: 'Rain.' },
  ],
  anthropic: [
    { role: 'user', content: 'Weather in Oslo?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'tool_use', id: 'w1', name: 'weather', input: { city: 'Oslo' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'w1', content: 'Rain' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Rain.' }] },
  ],
  'ai-sdk': [
    { role: 'user', content: [{ type: 'text', text: 'Weather in Oslo?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'tool-call', toolCallId: 'w1', toolName: 'weather', input: { city: 'Oslo' } },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'w1', toolName: 'weather', output: { type: 'text', value: 'Rain' } },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Rain.' }] },
  ],
}

const lines = ['user: Weather in Oslo?', 'assistant: calls 1.w1 weather', 'result 1.w1: Rain', 'assistant: Rain.']

test.each(Object.entries(transcripts))(
  'AGT-01 continues from a transcript of %s, as a value and as text',
  async (format, given) => {
    for (const transcript of [given, JSON.stringify(given), { messages: given }]) {
      const { agent, prompts, store } = testAgent({ replies: ['', '', 'Dry.'], configId: 'c' })
      const told: string[] = []
      agent.on(({ type }) => told.push(type))
      const session = agent.session('s')
      const restored = await session.restore(transcript)
      expect(restored).toMatchObject({ runId: 's.imported.1', messages: 4, format, repaired: [] })
      expect(restored.leftOut.map(({ what }) => what)).toContain('reasoning')
      expect([told, prompts]).toEqual([[], []])
      expect(await linesOf(session)).toEqual(lines)
      const imported = await agent.load(restored.runId)
      expect(await imported.result()).toMatchObject({ status: 'done', turns: 0, text: '', usage: { totalTokens: 0 } })
      expect((await store.read(restored.runId)).input).toMatchObject({ origin: 'imported', session: 's' })
      const run = await session.prompt('And tomorrow?')
      const events = await eventsOf(run)
      expect(events[0]).toMatchObject({ type: 'run.started', session: 's', parentRunId: restored.runId })
      expect(run.id).toBe('s.c.1')
      expect(prompts).toEqual([[...lines, 'user: And tomorrow?']])
      expect((await session.usage()).turns).toBe(1)
      expect((await run.result()).run.session).toEqual({ id: 's', index: 0 })
    }
  },
)

test('AGT-01 save and restore copy a conversation from one session to another, with its calls', async () => {
  const { act } = toolbox()
  const replies = [calls(call('a', 'act')), 'One', calls(call('a', 'act')), 'Two']
  const first = testAgent({ replies, tools: [act()] })
  const session = first.agent.session('s')
  await (await session.prompt('Hi')).settled()
  const second = testAgent({ replies, tools: [act()] })
  const other = second.agent.session('t')
  await other.restore(await session.save())
  expect(await linesOf(other)).toEqual(await linesOf(session))
  await (await other.prompt('More')).settled()
  const [before, after] = [(await linesOf(session)).length, await linesOf(other)]
  expect(after.slice(before)).toEqual([
    'user: More',
    'assistant: calls 2.a act',
    'result 2.a: act done',
    'assistant: Two',
  ])
  const empty = second.agent.session('u')
  expect(await second.agent.session('v').save()).toBe('{"messages":[]}')
  await empty.restore('{"messages":[]}')
  expect(await linesOf(empty)).toEqual([])
})

test('AGT-01 a restored transcript replaces the present one, and can be rerun and branched', async () => {
  const { agent, prompts } = testAgent({ replies: ['One', 'Two'] })
  const session = agent.session('s')
  await (await session.prompt('Hi')).settled()
  const restored = await session.restore(transcripts['openai-chat'])
  expect(await linesOf(session)).toEqual(lines)
  await (await session.rerun()).settled()
  expect(prompts.at(-1)).toEqual(['user: Weather in Oslo?'])
  await (await session.branch({ prompt: 'Weather in Bergen?' })).settled()
  expect(prompts.at(-1)).toEqual(['user: Weather in Bergen?'])
  await session.restore([{ role: 'user', content: 'Still there?' }])
  await (await session.continue()).settled()
  expect(prompts.at(-1)).toEqual(['user: Still there?'])
  expect(restored.runId).toBe('s.imported.1')
})

test('AGT-01 repairs orphaned calls and results of a transcript, and lists them', async () => {
  const { agent, prompts } = testAgent({ replies: ['', 'Dry.'] })
  const session = agent.session('s')
  const restored = await session.restore([
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'w1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'w9', content: 'Nobody asked.' },
  ])
  expect(restored.repaired).toMatchObject([{ at: 1, toolName: 'weather' }])
  expect(restored.leftOut).toMatchObject([{ at: 2, what: 'result' }])
  await (await session.prompt('Well?')).settled()
  expect(prompts[0]?.[2]).toBe('result 1.w1 (error): [Tool execution was interrupted before producing a result.]')
})

test('AGT-01 restores a long transcript in parts, so that other work gets its turn', async () => {
  const text = JSON.stringify(Array.from({ length: 50_000 }, () => ({ role: 'user', content: 'a' })))
  const session = testAgent().agent.session('s')
  let turns = 0
  let turn = setImmediate(function next() {
    turns++
    turn = setImmediate(next)
  })
  const { messages } = await session.restore(text).finally(() => clearImmediate(turn))
  expect(messages).toBe(50_000)
  // Each of three steps goes through the messages.
  expect(turns).toBeGreaterThanOrEqual(15)
})

test.each([
  ['text that is not JSON', '{', 'not_json'],
  ['half a million messages and one', `[${'0,'.repeat(500_000)}0]`, 'too_large'],
  ['half a million messages and one in a value', Array.from({ length: 500_001 }, () => 0), 'too_large'],
  ['a hundred megabytes', 'x'.repeat(100_000_000), 'too_large'],
  ['a hundred megabytes in a value', [{ role: 'user', content: 'x'.repeat(100_000_000) }], 'too_large'],
  ['a key __proto__', '[{"role":"user","content":"Hi","__proto__":{"admin":true}}]', 'bad_transcript'],
  ['what is not a list', 3, 'unknown_format'],
  ['a message of nobody', [{ role: 'wizard', content: 'Hi' }], 'bad_transcript'],
])('AGT-01 refuses to restore %s, and changes nothing', async (_, transcript, code) => {
  const { agent } = testAgent({ replies: ['One'] })
  const session = agent.session('s')
  await (await session.prompt('Hi')).settled()
  const before = await session.state()
  await expect(session.restore(transcript)).rejects.toMatchObject({ name: 'TranscriptError', code })
  expect(await session.state()).toEqual(before)
})
