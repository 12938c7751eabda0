import { describe, expect, test } from 'vitest'
import type { AssistantMessage, ModelMessage, ToolCallContent } from '../../../src/core/domain/message.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import type { Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask, requestOf } from './ask.ts'
import { picture, result, user, weather } from './history.ts'

const pairs = wires.flatMap((from) => wires.map((to) => ({ from, to })))

/** An answer of the wire itself, its calls named as a run names them. */
async function answerOf(wire: Wire): Promise<AssistantMessage> {
  await using server = await faultServer(stream(wire.calls, 'end', wire.mediaType))
  const { message } = await ask(wire.make(server.url))
  if (message === undefined) throw new Error(`${wire.name} gave no answer.`)
  const content = message.content.map((block) =>
    block.type === 'toolCall' ? { ...block, callId: `1.${block.id}` } : block,
  )
  return { ...message, content }
}

async function bodySent(wire: Wire, messages: readonly ModelMessage[]): Promise<string> {
  await using server = await faultServer(stream([...wire.opening, ...wire.closing], 'end', wire.mediaType))
  const { error } = await ask(wire.make(server.url), requestOf({ messages, tools: [weather] }))
  expect(error).toBeUndefined()
  return JSON.stringify(server.requests[0]?.body)
}

/** A round twice over, so that a provider's ids repeat, with an image among the results. */
function transcriptOf(answer: AssistantMessage): readonly ModelMessage[] {
  const calls = answer.content.filter((block): block is ToolCallContent => block.type === 'toolCall')
  const round = (turn: number): readonly ModelMessage[] => [
    {
      ...answer,
      content: answer.content.map((block) =>
        block.type === 'toolCall' ? { ...block, callId: `${turn}.${block.id}` } : block,
      ),
    },
    ...calls.map(({ id }) =>
      result(id, { callId: `${turn}.${id}`, content: [{ type: 'text', text: `Rain ${turn} ${id}` }, picture] }),
    ),
  ]
  return [user('Weather?'), ...round(1), ...round(2), user('And now?')]
}

/** The keys by which a wire names calls, and results of them; Gemini's results go by order and name. */
const idKeys: Readonly<Record<string, readonly [call: RegExp, result: RegExp]>> = {
  anthropic: [/"type":"tool_use","id":"([^"]*)"/g, /"tool_use_id":"([^"]*)"/g],
  'openai-chat': [/"id":"([^"]*)","type":"function"/g, /"tool_call_id":"([^"]*)"/g],
  'openai-responses': [/"function_call","call_id":"([^"]*)"/g, /"function_call_output","call_id":"([^"]*)"/g],
  google: [/"functionCall":\{.*?"name":"([^"]*)"/g, /"functionResponse":\{.*?"name":"([^"]*)"/g],
  bedrock: [/"toolUse":\{"toolUseId":"([^"]*)"/g, /"toolResult":\{"toolUseId":"([^"]*)"/g],
}
const keysOf = (wire: Wire) =>
  idKeys[wire.name] ??
  idKeys[
    { azure: 'openai-responses', vertex: 'google', 'ai-sdk': 'openai-chat', 'ai-sdk-v3': 'openai-chat' }[wire.name] ??
      ''
  ]

describe.each(pairs)('$from.name to $to.name', ({ from, to }) => {
  test('PRV-10 passes a transcript to another model: calls keep their results, images stay, thinking is dropped', async () => {
    const body = await bodySent(to, transcriptOf(await answerOf(from)))
    const [calls, results] = keysOf(to) ?? []
    const called = [...body.matchAll(calls ?? / /g)].map(([, id]) => id)
    const answered = [...body.matchAll(results ?? / /g)].map(([, id]) => id)
    expect(called).toHaveLength(4)
    expect(answered).toEqual(called)
    for (const id of called) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/)
    expect(body.split('iVBORw0KGgo=')).toHaveLength(5)
    expect(body.split('Looking.')).toHaveLength(3)
    const isSame = from.provider === to.provider && from.make('').id === to.make('').id
    expect(/Two cities|sealed/.test(body)).toBe(isSame && keepsThinking.has(to.name))
  })
})

/** Anthropic's newest models refuse thinking after anything but what it followed: in another transcript it is left out. */
const keepsThinking = new Set(['openai-chat', 'openai-responses', 'azure', 'google', 'vertex', 'bedrock'])

test('PRV-10 covers every pair of different wires', () => {
  expect(pairs.filter(({ from, to }) => from !== to).length).toBeGreaterThanOrEqual(56)
})
