import { spawnSync } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { compiled } from '../../proof/support/compiled.ts'
import { liveRun } from './live-run.ts'
import { faultServer, page, type Reply, stream } from '../../proof/wires/fault-server.ts'
import { messageStart } from '../../proof/wires/anthropic-wire.ts'
import { chatChunk } from '../../proof/wires/chat-wire.ts'
import { namedFrame as anthropicFrame } from '../../proof/wires/wire.ts'

const call = { type: 'tool_use', id: 'toolu_1', name: 'read_word', input: {} }

const anthropicReplies: readonly Reply[] = [
  anthropicAnswer(call, { type: 'input_json_delta', partial_json: '{"day":"Monday"}' }, 'tool_use'),
  anthropicAnswer({ type: 'text', text: '' }, { type: 'text_delta', text: 'kestrel-4711' }, 'end_turn'),
]

const chatCall = { index: 0, id: 'call_1', function: { name: 'read_word', arguments: '{"day":"Monday"}' } }
const chatReplies: readonly Reply[] = [
  stream([chatChunk({ tool_calls: [chatCall] }), chatChunk({}, 'tool_calls'), 'data: [DONE]\n\n']),
  stream([chatChunk({ content: 'It is kestrel-4711.' }), chatChunk({}, 'stop'), 'data: [DONE]\n\n']),
]

test.each([
  ['anthropic/claude-sonnet-5-5', 'ANTHROPIC', anthropicReplies, 'kestrel-4711'],
  ['openai/gpt-6.1-sol', 'OPENAI', chatReplies, 'It is kestrel-4711.'],
])('PRV-01 asks %s, lets it call the tool and reports its answer', async (spec, prefix, replies, text) => {
  await using server = await faultServer(inTurn(replies))
  const report = await liveRun(spec, { [`${prefix}_API_KEY`]: 'secret', [`${prefix}_BASE_URL`]: server.url })
  const { usage, ...rest } = report
  const calls = ['read_word succeeded']
  expect(rest).toEqual({ model: spec, status: 'done', reason: 'natural_end', calls, text })
  expect(usage.totalTokens).toBe(spec.startsWith('anthropic') ? 14 : 0)
  expect(server.requests).toHaveLength(2)
})

test.each([
  ['no call of the tool', inTurn(anthropicReplies.slice(1)), 'The model did not call the tool.'],
  ['a refused key', page(401, '{"error":{"type":"authentication_error","message":"invalid x-api-key"}}'), 'invalid'],
])('PRV-01 reports %s as the failure', async (_what, reply, problem) => {
  await using server = await faultServer(reply)
  const report = await liveRun('anthropic', { ANTHROPIC_API_KEY: 'secret', ANTHROPIC_BASE_URL: server.url })
  expect(report.problem).toContain(problem)
  expect(JSON.stringify(report)).not.toContain('secret')
})

test.each([
  [[], 0, 'skipped\n{"skipped":true,"results":[]}\n'],
  [['--model', 'nobody'], 1, ''],
])(
  'PRV-01 without a key, %j ends with %i',
  (parameters, code, end) => {
    const { status, stdout } = spawnSync(process.execPath, ['scripts/live.ts', '--json', ...parameters], {
      encoding: 'utf8',
      env: { ...compiled, PATH: process.env['PATH'] ?? '' },
    })
    expect(status).toBe(code)
    expect(stdout.endsWith(end)).toBe(true)
    expect(stdout.includes('Set ANTHROPIC_API_KEY or OPENAI_API_KEY')).toBe(code === 0)
  },
  60_000,
)

function inTurn(replies: readonly Reply[]): Reply {
  const left = [...replies]
  return (response: ServerResponse) => (left.shift() ?? page(500, 'out of replies'))(response)
}

function anthropicAnswer(start: object, delta: object, reason: string): Reply {
  return stream([
    messageStart(),
    anthropicFrame({ type: 'content_block_start', index: 0, content_block: start }),
    anthropicFrame({ type: 'content_block_delta', index: 0, delta }),
    anthropicFrame({ type: 'content_block_stop', index: 0 }),
    anthropicFrame({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 2 } }),
    anthropicFrame({ type: 'message_stop' }),
  ])
}
