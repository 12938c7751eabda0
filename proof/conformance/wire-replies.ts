import type { ModelScenario } from '../../src/testing/models/model-suite.ts'
import { type Reply, stream } from '../wires/fault-server.ts'
import { anthropicFrame, anthropicWire, chatChunk, chatFrame, chatWire, messageStart } from '../wires/wires.ts'

/** What a server of the Messages wire sends in each scenario. */
export const anthropicReplies: Readonly<Record<ModelScenario, Reply>> = {
  text: stream([...anthropicWire.opening, ...anthropicWire.closing]),
  calls: stream([
    messageStart({ input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 3 }),
    block(0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'Two cities.' }),
    block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Looking.' }),
    anthropicCall(2, 'toolu_1', 'Oslo'),
    anthropicCall(3, 'toolu_2', 'Rome'),
    anthropicFrame({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 20 } }),
    anthropicFrame({ type: 'message_stop' }),
  ]),
  failure: stream([...anthropicWire.opening, anthropicWire.error('api_error', 'Internal')]),
  endless: stream(anthropicWire.opening, 'hold'),
}

/** What a server of the Chat Completions wire sends in each scenario. */
export const chatReplies: Readonly<Record<ModelScenario, Reply>> = {
  text: stream([...chatWire.opening, ...chatWire.closing]),
  calls: stream([
    chatChunk({ reasoning_content: 'Two cities.' }),
    chatChunk({ content: 'Looking.' }),
    chatCall(0, 'call_1', 'Oslo'),
    chatCall(1, 'call_2', 'Rome'),
    chatChunk({}, 'tool_calls'),
    chatFrame({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 } }),
    'data: [DONE]\n\n',
  ]),
  failure: stream([...chatWire.opening, chatWire.error('server_error', 'Internal')]),
  endless: stream(chatWire.opening, 'hold'),
}

/** A whole content block; a function declaration, so that the tables above can use it. */
function block(index: number, start: unknown, ...deltas: readonly unknown[]): string {
  return [
    anthropicFrame({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => anthropicFrame({ type: 'content_block_delta', index, delta })),
    anthropicFrame({ type: 'content_block_stop', index }),
  ].join('')
}

function anthropicCall(index: number, id: string, city: string): string {
  const start = { type: 'tool_use', id, name: 'weather', input: {} }
  return block(index, start, { type: 'input_json_delta', partial_json: `{"city":"${city}"}` })
}

/** The arguments come in two parts, the id with the first. */
function chatCall(index: number, id: string, city: string): string {
  return [`{"city":`, `"${city}"}`]
    .map((text, place) => ({ index, ...(place === 0 ? { id } : {}), function: { name: 'weather', arguments: text } }))
    .map((call) => chatChunk({ tool_calls: [call] }))
    .join('')
}
