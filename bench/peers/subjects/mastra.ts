import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { z } from 'zod'
import { startWatch } from '../../stopwatch.ts'
import { assistantText, resultText } from '../../texts.ts'
import { callsAfter, echoText, listener, type Plan, planIn, promptOf } from '../script.ts'
import type { Subject } from '../subject.ts'

const inputSchema = z.object({ text: z.string() })
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const quiet = { logger: false } as const

/** It keeps a run where it is suspended, and not from step to step: nothing is said of durable turns. */
export const subject: Subject = {
  async run(plan) {
    await agent.generate(promptOf(plan).join(''), { maxSteps: 100_000 })
  },
  async deltas(count) {
    let read = 0
    const { textStream } = await agent.stream(promptOf({ turns: 0, calls: 0, deltas: count }).join(''))
    for await (const _ of textStream) read++
    if (read !== count) throw new Error(`${read} of ${count} deltas were read.`)
  },
  async resume(messages, path) {
    const plan: Plan = { turns: 1, calls: 1, tool: 'sign', users: messages - 1 }
    let read = startWatch('processor')
    listener.firstAsked = () => (read = startWatch('processor'))
    const given = promptOf(plan).map((content) => ({ role: 'user' as const, content }))
    const waiting = await storedAgent(path).generate(given, { maxSteps: 100_000 })
    const { runId } = waiting
    if (runId === undefined) throw new Error('The run has no id.')
    const done = await storedAgent(path).approveToolCallGenerate({ runId, toolCallId: 'c0.0' })
    const time = read()
    listener.firstAsked = () => {}
    if (!done.text.endsWith(assistantText)) throw new Error(`The run ended with ${JSON.stringify(done.text)}.`)
    return time
  },
}

const echo = createTool({
  id: 'echo',
  description: 'Answers with a text.',
  inputSchema,
  execute: async () => echoText(),
})
const sign = createTool({
  id: 'sign',
  description: 'Signs.',
  inputSchema,
  requireApproval: true,
  execute: async () => resultText,
})

const model = new MastraLanguageModelV2Mock({
  doGenerate: async ({ prompt }) => {
    const calls = callsIn(prompt)
    return {
      content: [{ type: 'text' as const, text: assistantText }, ...calls],
      finishReason: calls.length === 0 ? ('stop' as const) : ('tool-calls' as const),
      usage,
      warnings: [],
    }
  },
  doStream: async ({ prompt }) => {
    const calls = callsIn(prompt)
    const { deltas = 1 } = planOf(prompt)
    const text = deltas === 1 ? assistantText : 'word '
    let told = -1
    const stream = new ReadableStream({
      pull(controller) {
        if (told < 0) controller.enqueue({ type: 'text-start', id: 't' })
        else if (told < deltas) controller.enqueue({ type: 'text-delta', id: 't', delta: text })
        else {
          controller.enqueue({ type: 'text-end', id: 't' })
          for (const call of calls) controller.enqueue(call)
          controller.enqueue({ type: 'finish', finishReason: calls.length === 0 ? 'stop' : 'tool-calls', usage })
          controller.close()
        }
        told++
      },
    })
    return { stream }
  },
})

const agent = newAgent()

function newAgent(): Agent {
  return new Agent({ id: 'peer', name: 'peer', instructions: '', model, tools: { echo, sign } })
}

function storedAgent(path: string): Agent {
  const storage = new LibSQLStore({ id: 'runs', url: `file:${path}` })
  return new Mastra({ agents: { peer: newAgent() }, storage, ...quiet }).getAgent('peer')
}

type Prompt = Parameters<MastraLanguageModelV2Mock['doGenerate']>[0]['prompt']

function callsIn(prompt: Prompt) {
  const messages = prompt.filter(({ role }) => role !== 'system')
  return callsAfter(planOf(prompt), messages.length, () => 2).map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: JSON.stringify(call.arguments),
  }))
}

function planOf(prompt: Prompt): Plan {
  const first = prompt.find(({ role }) => role === 'user')
  const part = first?.role === 'user' ? first.content[0] : undefined
  return planIn(part?.type === 'text' ? part.text : '')
}
