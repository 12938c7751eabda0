import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { chatChunk } from '../../proof/wires/chat-wire.ts'
import { faultServer, page, type Reply, stream } from '../../proof/wires/fault-server.ts'

const call = { index: 0, id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }
const said = (content: string) => stream([chatChunk({ content }), chatChunk({}, 'stop'), 'data: [DONE]\n\n'])

test.each([
  [
    'quick-start',
    [stream([chatChunk({ tool_calls: [call] }), chatChunk({}, 'tool_calls'), 'data: [DONE]\n\n']), said('Wet.')],
    'done: Wet.',
  ],
  ['chat', [said('Good day.'), said('You are Ada.')], 'What is my name? You are Ada.'],
])(
  'PRV-01 the example %s asks the model named by MODEL, and says so',
  async (name, replies, last) => {
    const left: Reply[] = [...replies]
    await using server = await faultServer((response: ServerResponse) =>
      (left.shift() ?? page(500, 'out of replies'))(response),
    )
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
    const env = {
      PATH,
      NODE_COMPILE_CACHE,
      MODEL: 'openai/gpt-6.1-sol',
      OPENAI_API_KEY: 'secret',
      OPENAI_BASE_URL: server.url,
    }
    const child = spawn(process.execPath, [`examples/${name}.ts`], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    const lines = (await child.stdout.setEncoding('utf8').toArray()).join('').trimEnd().split('\n')
    expect(await exited).toEqual([0, null])
    expect([lines[0], lines.at(-1)]).toEqual(['The model is openai/gpt-6.1-sol.', last])
    expect(server.requests).toHaveLength(2)
  },
  60_000,
)
