import { expect, test } from 'vitest'
import { anthropic } from '../../src/adapters/providers/anthropic.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { loopbackServer } from '../../proof/support/loopback-server.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'

const block = {
  type: 'compaction',
  content: 'They spoke of the harbour.',
  encrypted_content: 'b3BhcXVl',
  signature: 'c2lnbmVk',
  tool_changes: [],
}

const streamOf = (content: readonly { readonly type: string; readonly [field: string]: unknown }[], reason: string) =>
  [
    { type: 'message_start', message: { model: 'claude-opus-5-5', usage: { input_tokens: 9, output_tokens: 1 } } },
    ...content,
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')

const said = streamOf(
  [{ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Yes.' } }],
  'end_turn',
)
const summarized = streamOf(
  [
    { type: 'content_block_start', index: 0, content_block: { ...block, content: null, encrypted_content: null } },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'compaction_delta', content: block.content, encrypted_content: block.encrypted_content },
    },
  ],
  'compaction',
)

const prompt = Array.from({ length: 24 }, (_, index) => userMessage(`${index} ${'x'.repeat(400)}`, start))
const compaction = { budget: 2_000, systemTokens: 100, keepLast: 2, summaries: true } as const

async function play(reply: (body: { readonly compaction?: object }) => string, options: TestAgentOptions = {}) {
  await using server = await loopbackServer((response, { body }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(reply(JSON.parse(body)))
  })
  const headers = { 'anthropic-beta': 'other-1' }
  const model = anthropic('claude-opus-5-5', { baseURL: server.origin, apiKey: 'k', compaction: true, headers })
  const { agent } = testAgent({ model, compaction, instructions: 'Be brief.', ...options })
  const run = agent.start(prompt, { runId })
  const events = await eventsOf(run)
  await (await run.prompt('And now?', { runId: 'run-2' })).settled()
  const bodies = server.seen.map(({ body }) => JSON.parse(body))
  return { events, bodies, betas: server.seen.map(({ headers: sent }) => sent['anthropic-beta']) }
}

const answering = (body: { readonly compaction?: object }) => (body.compaction === undefined ? said : summarized)

test('CTX-02 lets the provider summarize the conversation, and sends its block back unchanged', async () => {
  const { events, bodies, betas } = await play(answering)
  const [asked, first, second] = bodies
  expect(asked).toMatchObject({ compaction: { type: 'summarize' }, system: [{ text: 'Be brief.' }] })
  expect(JSON.stringify(asked.messages)).toContain('0 xxx')
  for (const body of [first, second]) {
    expect(body).not.toHaveProperty('compaction')
    expect(JSON.stringify(body.messages[0])).toBe(JSON.stringify({ role: 'assistant', content: [block] }))
    expect(JSON.stringify(body.messages)).not.toContain('0 xxx')
  }
  expect(new Set(betas)).toEqual(new Set(['other-1,compact-2026-09-04']))
  expect(events.filter(({ type }) => type === 'context.compacted')).toMatchObject([
    { tier: 'summary', summary: { model: 'anthropic/claude-opus-5-5' }, dropped: [[0, expect.any(Number)]] },
  ])
})

test("CTX-02 sends another model the block's text, and the block to its own model again", async () => {
  const store = memoryStore()
  await play(answering, { store })
  const { agent, prompts } = testAgent({
    model: scripted(['Hm.'], { now: () => start }),
    store,
    compaction,
    process: 'p2',
  })
  const run = await agent.load('run-2')
  await (await run.prompt('And you?', { runId: 'run-3' })).settled()
  expect(prompts[0]?.[0]).toContain('[Summary] They spoke of the harbour.')
})

test('CTX-02 cuts the prompt without a summary if the provider returns none', async () => {
  const { events, bodies } = await play((body) =>
    body.compaction === undefined ? said : summarized.replaceAll(JSON.stringify(block.content), 'null'),
  )
  expect(events.find(({ type }) => type === 'context.partFailed')).toMatchObject({ part: 'summaries' })
  expect(JSON.stringify(bodies[1].messages)).not.toContain('"compaction"')
  expect(events.at(-1)).toMatchObject({ outcome: { reason: 'natural_end' } })
})
