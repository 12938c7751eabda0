import { describe, expect, test } from 'vitest'
import { call, calls, say } from '../../../proof/support/say.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { tool, TranscriptError } from '../../../src/index.ts'
import type { TranscriptFormat } from '../../../src/ports.ts'
import { readTranscript } from '../../../src/adapters/recorder/index.ts'
import { aiSdk, anthropic, modelMessages, openAi, png, uiMessages } from './foreign-transcripts.ts'

const lines = (value: unknown, format?: TranscriptFormat) => {
  const read = readTranscript(value, format === undefined ? { now: 7 } : { now: 7, format })
  return { ...read, messages: read.messages.map(say) }
}
const what = ({ leftOut }: ReturnType<typeof lines>) => leftOut.map(({ at, what: kind }) => `${at} ${kind}`)

describe('AGT-01 formats', () => {
  test('AGT-01 recognises an OpenAI transcript, puts results after their calls, and names what has no place', () => {
    const read = readTranscript(openAi, { now: 7 })
    expect(read.format).toBe('openai-chat')
    expect(what(lines(openAi))).toEqual(['0 system', '1 image', '1 file', '1 audio', '5 result'])
    expect(read.repaired).toEqual([{ at: 2, callId: '1.c3', toolName: 'free' }])
    const result = (callId: string, toolName: string, said: string, isError = false) => ({
      role: 'toolResult',
      callId: `1.${callId}`,
      toolCallId: callId,
      toolName,
      content: [{ type: 'text', text: said }],
      isError,
      status: isError ? 'error' : 'success',
      timestamp: 7,
    })
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
    const answer = { role: 'assistant', model: '', provider: '', usage, timestamp: 7 }
    const made = { type: 'toolCall', name: 'look' }
    expect(read.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', data: png, mimeType: 'image/png' },
          { type: 'text', text: '[An image was left out: it is an address, and nothing is fetched.]' },
          { type: 'text', text: '[File "a.csv"]\na,b' },
          {
            type: 'text',
            text: '[A file "a.pdf" was left out: its declared type is application/pdf, but its bytes have another type.]',
          },
        ],
        timestamp: 7,
      },
      {
        ...answer,
        stopReason: 'toolUse',
        content: [
          { type: 'text', text: 'Let me see.' },
          { ...made, id: 'c1', callId: '1.c1', arguments: { n: 1 } },
          { ...made, id: 'c2', callId: '1.c2', arguments: {}, malformed: expect.stringMatching(/JSON/) },
          { ...made, name: 'free', id: 'c3', callId: '1.c3', arguments: { input: 'as it is' } },
        ],
      },
      result('c1', 'look', 'first'),
      result('c2', 'look', 'second'),
      result('c3', 'free', '[Tool execution was interrupted before producing a result.]', true),
      { ...answer, stopReason: 'stop', content: [{ type: 'text', text: 'I will not.' }] },
    ])
  })

  test('AGT-01 recognises an Anthropic transcript, whose results are no user messages', () => {
    const read = lines({ system: 'Be kind.', messages: anthropic })
    expect({ format: read.format, leftOut: what(read), repaired: read.repaired }).toEqual({
      format: 'anthropic',
      leftOut: ['0 system', '0 file', '1 reasoning'],
      repaired: [],
    })
    expect(readTranscript(anthropic, { now: 7 }).messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'toolResult', 'toolResult', 'user', 'assistant'],
    ])
    expect(read.messages.slice(2, 4)).toEqual([expect.stringContaining('first'), expect.stringContaining('broken')])
  })

  test('AGT-01 recognises an AI SDK transcript: prompts, ModelMessages and UIMessages', () => {
    const read = lines(aiSdk)
    expect({ format: read.format, leftOut: what(read) }).toEqual({
      format: 'ai-sdk',
      leftOut: ['0 system', '1 file', '2 reasoning'],
    })
    expect(read.messages.slice(2, 4)).toEqual([
      expect.stringContaining('{"found":true}'),
      expect.stringContaining('broken'),
    ])
    const older = readTranscript(modelMessages, { now: 7 })
    expect(older).toMatchObject({ format: 'ai-sdk', leftOut: [] })
    expect(older.messages[2]).toMatchObject({ content: [{ text: 'seen' }, { type: 'image', data: png }] })
    const ui = lines(uiMessages)
    expect({ format: ui.format, leftOut: what(ui) }).toEqual({
      format: 'ai-sdk-ui',
      leftOut: ['1 reasoning', '1 call', '1 data'],
    })
    expect(ui.repaired).toEqual([{ at: 1, callId: '1.c3', toolName: 'look' }])
    expect(readTranscript(uiMessages, { now: 7 }).messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'toolResult', 'toolResult', 'toolResult', 'assistant'],
    ])
  })

  test('AGT-01 reads our own transcript back unchanged, from a value and from JSON', async () => {
    const act = tool({
      name: 'act',
      description: '-',
      effects: 'none',
      input: { type: 'object' },
      execute: () => 'done',
    })
    const { agent } = testAgent({ tools: [act], replies: [calls(call('a', 'act')), 'Bye.'] })
    const { messages } = await agent.run('Go', { runId: 'r' })
    const bare = messages.map(({ place: _, turn: __, ...message }) => message)
    for (const given of [messages, JSON.stringify(messages), { messages }]) {
      expect(readTranscript(given)).toEqual({ messages: bare, leftOut: [], repaired: [], format: 'statewright' })
    }
    const extension = { role: 'extension', kind: 'shown', data: { page: 3 }, timestamp: 1 }
    expect(readTranscript([extension]).messages).toEqual([extension])
  })

  test('AGT-01 reads plain texts the same in every format', () => {
    const plain = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello.' },
    ]
    const all = ['statewright', 'openai-chat', 'anthropic', 'ai-sdk'] as const
    const read = all.map((format) => readTranscript(plain, { format, now: 7 }).messages)
    expect(read).toEqual(all.map(() => readTranscript(plain, { now: 7 }).messages))
  })

  test('AGT-01 matches repeated ids to the results of their own answers, and gives each call one name', () => {
    const asked = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '' } })
    const answer = { role: 'assistant', content: null, tool_calls: [asked('x'), asked('x')] }
    const told = (content: string) => ({ role: 'tool', tool_call_id: 'x', content })
    const { messages, leftOut } = readTranscript([
      answer,
      told('one'),
      told('two'),
      answer,
      told('three'),
      { role: 'user', content: 'Meanwhile.' },
      told('four'),
      told('five'),
    ])
    const results = messages.flatMap((one) => (one.role === 'toolResult' ? [[one.callId, one.content]] : []))
    const said = (words: string) => [{ type: 'text', text: words }]
    expect(results).toEqual([
      ['1.x', said('one')],
      ['1.x.2', said('two')],
      ['2.x', said('three')],
      ['2.x.2', said('four')],
    ])
    expect(leftOut.map(({ at, what: kind }) => [at, kind])).toEqual([[7, 'result']])
    expect(messages.at(-1)).toMatchObject({ role: 'user' })
  })

  test('AGT-01 accepts one result for each call, by any of its ids', () => {
    const made = { type: 'toolCall', id: 'a', callId: '4.a', name: 'act', arguments: {} }
    const told = (ids: object, words: string) => ({ role: 'toolResult', ...ids, content: words })
    const { messages, leftOut } = readTranscript([
      { role: 'assistant', content: [made] },
      told({ callId: '4.a' }, 'one'),
      told({ toolCallId: 'a' }, 'two'),
    ])
    expect(messages).toMatchObject([{ role: 'assistant' }, { callId: '4.a', content: [{ text: 'one' }] }])
    expect(leftOut.map(({ at, what: kind }) => [at, kind])).toEqual([[2, 'result']])
  })

  test('AGT-01 reads many calls with one id in a number of steps proportional to them', () => {
    const asked = { id: 'x', type: 'function', function: { name: 'look', arguments: '{}' } }
    const told = { role: 'tool', tool_call_id: 'x', content: '.' }
    const count = 150_000
    const made = Array.from({ length: count }, () => asked)
    const value = [{ role: 'assistant', tool_calls: made }, ...Array.from({ length: count }, () => told)]
    expect(readTranscript(value).messages).toHaveLength(count + 1)
  }, 60_000)
})

describe('AGT-01 refusals', () => {
  const refusal = (value: unknown, format?: TranscriptFormat): TranscriptError => {
    try {
      readTranscript(value, format === undefined ? {} : { format })
    } catch (error) {
      if (error instanceof TranscriptError) return error
      throw error
    }
    throw new Error('Nothing was refused.')
  }

  test.each([
    ['not_json', 'Dear diary', undefined, /is not JSON: .* Expected a list of messages/],
    ['not_json', '[{"role":"user"', undefined, /is not JSON/],
    ['too_large', `"${'x'.repeat(100_000_000)}"`, undefined, /too large: at most 50000000 bytes .* Leave out files/],
    ['too_large', [{ role: 'user', content: 'x'.repeat(100_000_000) }], undefined, /too large/],
    ['bad_transcript', '[{"role":"user","content":"a","__proto__":{"b":1}}]', undefined, /"__proto__" is refused/],
    ['bad_transcript', JSON.parse('[{"__proto__":{"b":1}}]'), undefined, /"__proto__", which is not allowed/],
    ['unknown_format', '"a text"', undefined, /is not a list\. Expected a list of messages/],
    ['unknown_format', { talk: [] }, undefined, /is not a list/],
    [
      'unknown_format',
      [...openAi, ...anthropic],
      undefined,
      /openai-chat \(message 0\) and anthropic \(message 7\)\. Name one/,
    ],
    ['bad_transcript', ['Hi'], undefined, /Message 0 is not an object\. Nothing was imported/],
    ['bad_transcript', [{ role: 'robot', content: 'x' }], undefined, /Message 0 has the role "robot"/],
    ['bad_transcript', [{ role: 'user', content: 7 }], undefined, /neither a text nor a list of blocks/],
    ['bad_transcript', [{ role: 'user', content: [{ type: 'text' }] }], undefined, /Message 0 has no text in text/],
    ['bad_transcript', [{ role: 'assistant', tool_calls: [{}] }], undefined, /Message 0 has no text in id/],
    ['bad_transcript', [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a' }] }], undefined, /no text in name/],
    ['bad_transcript', openAi, 'anthropic', /Message 0 has the role "developer"/],
    ['bad_transcript', openAi, 'ai-sdk-ui', /Message 0 has no list of parts/],
  ] as const)('AGT-01 refuses a transcript as %s and says what to do', (code, value, format, message) => {
    const error = refusal(value, format)
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
  })

  test('AGT-01 refuses a transcript that is nested without end, and names an unknown option', () => {
    let deep: unknown = []
    for (let level = 0; level < 5000; level++) deep = [deep]
    expect(refusal(deep)).toMatchObject({ code: 'bad_transcript' })
    expect(refusal(JSON.stringify([{ role: 'user', content: deep }]))).toMatchObject({ code: 'bad_transcript' })
    expect(() => readTranscript([], { format: 'openai' as never })).toThrow(/Expected statewright, openai-chat/)
  })
})
