import { expect, test } from 'vitest'
import { namedFrame } from '../../proof/wires/wire.ts'
import { messageItem, wireItem, wireResponse, wireUsage } from '../../proof/wires/responses-wire.ts'
import { anthropic } from '../../src/adapters/providers/anthropic.ts'
import { openaiResponses } from '../../src/adapters/providers/openai.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import type { Model } from '../../src/core/ports/model.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { loopbackServer } from '../../proof/support/loopback-server.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

interface Vendor {
  readonly make: (baseURL: string) => Model
  /** The marks of a request for a summary. */
  readonly request: object
  /** The first message of each later request. */
  readonly sentBack: object
  /** The text that other models read. */
  readonly read: RegExp
  readonly summarized: string
  /** An answer to the last message, by a server that does not know the request. */
  readonly said: string
  /** A summary that nobody can use. */
  readonly unusable: string
  /** The key of the messages in a request. */
  readonly messages: 'messages' | 'input'
}

const framesOf = (content: readonly { readonly type: string; readonly [field: string]: unknown }[], reason: string) =>
  [
    { type: 'message_start', message: { model: 'claude-opus-5-5', usage: { input_tokens: 9, output_tokens: 1 } } },
    ...content,
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
    .map((event) => namedFrame(event))
    .join('')

const block = {
  type: 'compaction',
  content: 'They spoke of the harbour.',
  encrypted_content: 'b3BhcXVl',
  signature: 'c2lnbmVk',
  tool_changes: [],
}

const blockFrames = (content: string | null) =>
  framesOf(
    [
      { type: 'content_block_start', index: 0, content_block: { ...block, content: null, encrypted_content: null } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'compaction_delta', content, encrypted_content: block.encrypted_content },
      },
    ],
    'compaction',
  )

const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'b3BhcXVl', created_by: 'somebody' }

const itemFrames = (...items: string[]) =>
  [
    namedFrame({ type: 'response.created', response: wireResponse() }),
    ...items,
    namedFrame({ type: 'response.completed', response: wireResponse({ status: 'completed', usage: wireUsage }) }),
  ].join('')

const vendors: Readonly<Record<'Anthropic' | 'OpenAI', Vendor>> = {
  Anthropic: {
    make: (baseURL) =>
      anthropic('claude-opus-5-5', {
        ...{ baseURL, apiKey: 'k', compaction: true },
        headers: { 'anthropic-beta': 'other-1' },
      }),
    request: { compaction: { type: 'summarize' }, system: [{ text: 'Be brief.' }] },
    sentBack: { role: 'assistant', content: [block] },
    read: /\[Summary\] They spoke of the harbour\./,
    summarized: blockFrames(block.content),
    said: framesOf(
      [{ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Yes.' } }],
      'end_turn',
    ),
    unusable: blockFrames(null),
    messages: 'messages',
  },
  OpenAI: {
    make: (baseURL) => openaiResponses('gpt-6.1-sol', { baseURL, apiKey: 'k', compaction: true }),
    request: { instructions: 'Be brief.', store: false },
    sentBack: item,
    read: /\[Summary\] User: 0 xxx(?:.|\n)*truncated/,
    summarized: itemFrames(
      wireItem(0, item, 'nothing'),
      namedFrame({ type: 'response.compaction.compacting', item_id: 'cmp_1', output_index: 0, sequence_number: 2 }),
    ),
    said: itemFrames(wireItem(0, { ...messageItem('Yes.'), phase: 'final_answer' }, 'output_text', 'Yes.')),
    unusable: itemFrames(wireItem(0, { ...item, encrypted_content: '' }, 'nothing')),
    messages: 'input',
  },
}

const isAsking = (body: { readonly compaction?: object; readonly input?: readonly { readonly type?: string }[] }) =>
  body.compaction !== undefined || body.input?.at(-1)?.type === 'compaction_trigger'

const prompt = Array.from({ length: 24 }, (_, index) => userMessage(`${index} ${'x'.repeat(400)}`, start))
const summaries = { maxTokens: 200 }
const compaction = { budget: 2_000, systemTokens: 100, keepLast: 2, summaries } as const

async function play({ make, said, summarized, messages }: Vendor, options: TestAgentOptions = {}, made = summarized) {
  await using server = await loopbackServer((response, { body }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(isAsking(JSON.parse(body)) ? made : said)
  })
  const model = make(server.origin)
  const { agent } = testAgent({ model, compaction, instructions: 'Be brief.', ...options })
  const run = agent.start(prompt, { runId })
  const events = await eventsOf(run)
  await (await run.prompt('And now?', { runId: 'run-2' })).settled()
  const bodies = server.seen.map(({ body }) => JSON.parse(body))
  const sent = bodies.map((body): readonly object[] => body[messages])
  return { events, bodies, sent, betas: server.seen.map(({ headers }) => headers['anthropic-beta']) }
}

const named = Object.entries(vendors)

test.each(named)('CTX-02 lets %s summarize the conversation, and sends its item back unchanged', async (_, vendor) => {
  const { events, bodies, sent, betas } = await play(vendor)
  const [asked, ...later] = bodies
  expect(asked).toMatchObject(vendor.request)
  expect(bodies.map(isAsking)).toEqual([true, false, false])
  expect(JSON.stringify(sent[0])).toContain('0 xxx')
  expect(later.map((body) => body.compaction)).toEqual([undefined, undefined])
  for (const messages of sent.slice(1)) {
    expect(JSON.stringify(messages[0])).toBe(JSON.stringify(vendor.sentBack))
    expect(JSON.stringify(messages)).not.toContain('0 xxx')
  }
  const beta = vendor === vendors.Anthropic ? 'other-1,compact-2026-09-04' : undefined
  expect(new Set(betas)).toEqual(new Set([beta]))
  expect(events.filter(({ type }) => type === 'context.compacted')).toMatchObject([
    { tier: 'summary', summary: { model: expect.any(String) }, dropped: [[0, expect.any(Number)]] },
  ])
})

test.each(named)('CTX-02 sends another model plain text in place of the item of %s', async (_, vendor) => {
  const store = memoryStore()
  await play(vendor, { store })
  const { agent, prompts } = testAgent({
    model: scripted(['Hm.'], { now: () => start }),
    store,
    compaction,
    process: 'p2',
  })
  const run = await agent.load('run-2')
  await (await run.prompt('And you?', { runId: 'run-3' })).settled()
  expect(prompts[0]?.[0]).toMatch(vendor.read)
  expect(JSON.stringify(prompts)).not.toContain(item.encrypted_content)
})

test.each(
  named.flatMap(([name, vendor]) => [
    [name, 'returns none', vendor, vendor.unusable] as const,
    [name, 'answers the last message', vendor, vendor.said] as const,
  ]),
)('CTX-02 cuts the prompt without a summary if %s %s', async (_name, _case, vendor, made) => {
  const { events, sent } = await play(vendor, {}, made)
  expect(events.find(({ type }) => type === 'context.partFailed')).toMatchObject({ part: 'summaries' })
  expect(JSON.stringify(sent[1])).not.toContain('"compaction"')
  expect(JSON.stringify(sent[1])).not.toContain('[Summary]')
  expect(events.at(-1)).toMatchObject({ outcome: { reason: 'natural_end' } })
})
