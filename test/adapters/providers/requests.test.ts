import { describe, expect, expectTypeOf, test } from 'vitest'
import type { LanguageModelV3CallOptions, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages/messages'
import type { ConverseStreamCommandInput } from '@aws-sdk/client-bedrock-runtime'
import type { GenerateContentParameters } from '@google/genai/web'
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions'
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses'
import type { ModelRequest } from '../../../src/core/ports/model.ts'
import type { callOptions, olderCallOptions } from '../../../src/adapters/providers/ai-sdk/prompt.ts'
import type { anthropicRequest } from '../../../src/adapters/providers/anthropic/request.ts'
import type { bedrockRequest } from '../../../src/adapters/providers/bedrock/request.ts'
import type { googleRequest } from '../../../src/adapters/providers/google/gemini-model.ts'
import type { chatRequest } from '../../../src/adapters/providers/openai-chat/chat-model.ts'
import type { responsesRequest } from '../../../src/adapters/providers/openai-responses/responses-model.ts'
import { faultServer, stream } from '../../../proof/wires/fault-server.ts'
import type { Wire } from '../../../proof/wires/wire.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { ask, requestOf } from './ask.ts'
import { clock, richRequest } from './history.ts'

/** The request that the wire's own client sent, and the options that the answer lists as left out. */
async function sent(
  wire: Wire,
  request: (from: { readonly provider: string; readonly model: string }) => ModelRequest,
) {
  await using server = await faultServer(stream([...wire.opening, ...wire.closing], 'end', wire.mediaType))
  const model = wire.make(server.url)
  const { events, error } = await ask(model, request({ provider: model.provider, model: model.id }))
  expect(error).toBeUndefined()
  const [received] = server.requests
  const last = events.at(-1)
  const leftOut = last?.type === 'finished' ? (last.leftOut ?? []) : ['never finished']
  return { path: received?.path, leftOut, body: received?.body }
}

test("PRV-01 types every request with the provider's own package", () => {
  expectTypeOf<ReturnType<typeof anthropicRequest>['body']>().toExtend<MessageCreateParamsStreaming>()
  expectTypeOf<ReturnType<typeof chatRequest>['body']>().toExtend<ChatCompletionCreateParamsStreaming>()
  expectTypeOf<ReturnType<typeof responsesRequest>['body']>().toExtend<ResponseCreateParamsStreaming>()
  expectTypeOf<ReturnType<typeof googleRequest>>().toExtend<GenerateContentParameters>()
  expectTypeOf<ReturnType<typeof bedrockRequest>['input']>().toExtend<ConverseStreamCommandInput>()
  expectTypeOf<ReturnType<typeof callOptions>>().toExtend<LanguageModelV4CallOptions>()
  expectTypeOf<ReturnType<typeof olderCallOptions>>().toExtend<LanguageModelV3CallOptions>()
})

describe.each(wires)('$name', (wire) => {
  test("PRV-02 PRV-04 PRV-09 sends a history of calls, results and images in the wire's format", async () => {
    const request = await sent(wire, richRequest)
    await expect(`${JSON.stringify(request, null, 2)}\n`).toMatchFileSnapshot(`../../golden/requests/${wire.name}.txt`)
  })

  test('PRV-01 sends a request of one message without anything else', async () => {
    const request = await sent(wire, () => requestOf())
    await expect(`${JSON.stringify(request, null, 2)}\n`).toMatchFileSnapshot(
      `../../golden/requests/${wire.name}.least.txt`,
    )
  })

  test("PRV-03 translates a thinking level into the wire's parameters", async () => {
    const said = []
    for (const thinking of ['off', 'minimal', 'low', 'medium', 'high'] as const) {
      const { body, leftOut } = await sent(wire, () => requestOf({ thinking }))
      said.push({ thinking, leftOut, ...thinkingIn(body) })
    }
    await expect(`${JSON.stringify(said, null, 2)}\n`).toMatchFileSnapshot(
      `../../golden/requests/${wire.name}.thinking.txt`,
    )
  })

  test('PRV-01 forbids calls if the wire can, and reports if it cannot', async () => {
    const { body, leftOut } = await sent(wire, () =>
      requestOf({ tools: [clock], toolChoice: 'none', requiredCall: true }),
    )
    const text = JSON.stringify(body)
    expect(text).toContain('clock')
    expect(leftOut).toContain('requiredCall')
    expect(/"none"|"NONE"/.test(text)).toBe(!leftOut.includes('toolChoice'))
  })

  test('PRV-01 requires a call of one tool by its name, or reports that it could not', async () => {
    const { body, leftOut } = await sent(wire, () => requestOf({ tools: [clock], requiredCall: 'clock' }))
    const places = JSON.stringify(body).split('"clock"').length - 1
    expect(places).toBe(leftOut.includes('requiredCall') ? 1 : 2)
  })
})

/** The parts of a body that say how much to think. */
function thinkingIn(body: unknown) {
  const fields: Record<string, unknown> = { ...Object(body) }
  const names = [
    'thinking',
    'output_config',
    'outputConfig',
    'additionalModelRequestFields',
    'reasoning',
    'reasoning_effort',
  ]
  const said = Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])))
  const nested: unknown = Object(fields['generationConfig']).thinkingConfig
  return nested === undefined ? said : { ...said, thinkingConfig: nested }
}
