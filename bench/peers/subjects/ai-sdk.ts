import { generateText, isStepCount, type ModelMessage, streamText, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'
import { BareStore } from '../../bare-store.ts'
import { startWatch } from '../../stopwatch.ts'
import { assistantText, resultText } from '../../texts.ts'
import { callsAfter, echoText, listener, type Plan, planIn, promptOf } from '../script.ts'
import type { Subject } from '../subject.ts'

const inputSchema = z.object({ text: z.string() })
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** It keeps nothing itself: where something is kept, its messages are, one after the other, in the bare store. */
export const subject: Subject = {
  run: (plan) => play(plan),
  async deltas(count) {
    let read = 0
    const { textStream } = streamText({ model, prompt: promptOf({ turns: 0, calls: 0, deltas: count }).join('') })
    for await (const _ of textStream) read++
    if (read !== count) throw new Error(`${read} of ${count} deltas were read.`)
  },
  async openDurable(path) {
    const store = new BareStore(path, 'normal')
    let runs = 0
    return {
      run: (plan) => {
        const id = `run ${runs++}`
        return play(plan, (message, seq) => store.append(id, seq, message))
      },
      close: async () => store.close(),
    }
  },
  async resume(messages, path) {
    const plan: Plan = { turns: 1, calls: 1, tool: 'sign', users: messages - 1 }
    let read = startWatch('processor')
    listener.firstAsked = () => (read = startWatch('processor'))
    const first = new BareStore(path, 'normal')
    await suspendOn(first, plan)
    const second = new BareStore(path, 'normal')
    await goOnFrom(second)
    const time = read()
    listener.firstAsked = () => {}
    for (const store of [first, second]) store.close()
    return time
  },
  async suspend(messages, path) {
    const store = new BareStore(path, 'normal')
    await suspendOn(store, { turns: 1, calls: 1, tool: 'sign', users: messages - 1 })
    store.close()
  },
  async goOn(path) {
    const store = new BareStore(path, 'normal')
    await goOnFrom(store)
    store.close()
  },
}

async function suspendOn(store: BareStore, plan: Plan): Promise<void> {
  const given = promptOf(plan).map((content): ModelMessage => ({ role: 'user', content }))
  for (const [index, message] of given.entries()) store.append('run', index + 1, message)
  const { finalStep } = await generateText({ model, tools, messages: given, stopWhen: isStepCount(100_000) })
  for (const [index, message] of finalStep.response.messages.entries()) {
    store.append('run', given.length + 1 + index, message)
  }
}

async function goOnFrom(store: BareStore): Promise<void> {
  const kept = store.read('run') as ModelMessage[]
  const approvalId = approvalIn(kept)
  const response: ModelMessage = {
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId, approved: true }],
  }
  store.append('run', kept.length + 1, response)
  const { responseMessages } = await generateText({
    model,
    tools,
    messages: [...kept, response],
    stopWhen: isStepCount(100_000),
  })
  for (const [index, message] of responseMessages.entries()) store.append('run', kept.length + 2 + index, message)
  if (responseMessages.length === 0) throw new Error('The run did not go on.')
}

function approvalIn(messages: readonly ModelMessage[]): string {
  for (const { role, content } of messages) {
    if (role !== 'assistant' || typeof content === 'string') continue
    for (const part of content) if (part.type === 'tool-approval-request') return part.approvalId
  }
  throw new Error('No approval was asked for.')
}

async function play(plan: Plan, keep?: (message: object, seq: number) => void): Promise<void> {
  let seq = 0
  const [prompt = ''] = promptOf(plan)
  keep?.({ role: 'user', content: prompt }, ++seq)
  await generateText({
    model,
    tools,
    prompt,
    stopWhen: isStepCount(100_000),
    ...(keep === undefined
      ? {}
      : {
          onStepEnd: ({ response }: { response: { messages: readonly object[] } }) => {
            for (const message of response.messages) keep(message, ++seq)
          },
        }),
  })
}

const tools = {
  echo: tool({ description: 'Answers with a text.', inputSchema, execute: echoText }),
  sign: tool({ description: 'Signs.', inputSchema, needsApproval: true, execute: () => resultText }),
}

type Prompt = Parameters<MockLanguageModelV4['doGenerate']>[0]['prompt']

const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const calls = callsIn(prompt)
    return {
      content: [
        { type: 'text', text: assistantText },
        ...calls.map((call) => ({
          type: 'tool-call' as const,
          toolCallId: call.id,
          toolName: call.name,
          input: JSON.stringify(call.arguments),
        })),
      ],
      finishReason: { unified: calls.length === 0 ? 'stop' : 'tool-calls', raw: undefined },
      usage,
      warnings: [],
    }
  },
  doStream: async ({ prompt }) => {
    const { deltas = 1 } = planOf(prompt)
    let told = -1
    const stream = new ReadableStream({
      pull(controller) {
        if (told < 0) controller.enqueue({ type: 'text-start', id: 't' })
        else if (told < deltas) controller.enqueue({ type: 'text-delta', id: 't', delta: 'word ' })
        else {
          controller.enqueue({ type: 'text-end', id: 't' })
          controller.enqueue({ type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage })
          controller.close()
        }
        told++
      },
    })
    return { stream }
  },
})
// What the model was asked would be kept for ever, for tests to look at.
Object.assign(model, { doGenerateCalls: { push: () => 0 }, doStreamCalls: { push: () => 0 } })

function callsIn(prompt: Prompt) {
  return callsAfter(planOf(prompt), prompt.length, () => 2)
}

function planOf(prompt: Prompt): Plan {
  const [first] = prompt
  const part = first?.role === 'user' ? first.content[0] : undefined
  return planIn(part?.type === 'text' ? part.text : '')
}
