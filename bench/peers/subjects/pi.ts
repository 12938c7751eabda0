import { Agent, type AgentTool } from '@earendil-works/pi-agent-core'
import {
  type AssistantMessage,
  type Context,
  createAssistantMessageEventStream,
  type Model,
} from '@earendil-works/pi-ai'
import { Type } from 'typebox'
import { assistantText } from '../../texts.ts'
import { callsAfter, echoText, planIn, promptOf } from '../script.ts'
import type { Plan } from '../script.ts'
import type { Subject } from '../subject.ts'

/** It keeps no run and suspends no call. */
export const subject: Subject = {
  async run(plan) {
    await newAgent().prompt(promptOf(plan).join(''))
  },
  async deltas(count) {
    let read = 0
    const agent = newAgent()
    agent.subscribe((event) => {
      if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta') read++
    })
    await agent.prompt(promptOf({ turns: 0, calls: 0, deltas: count }).join(''))
    if (read !== count) throw new Error(`${read} of ${count} deltas were read.`)
  },
}

const echo: AgentTool = {
  name: 'echo',
  label: 'Echo',
  description: 'Answers with a text.',
  parameters: Type.Object({ text: Type.String() }),
  execute: async () => ({ content: [{ type: 'text', text: echoText() }], details: {} }),
}

/** An agent of it is one conversation. */
function newAgent(): Agent {
  return new Agent({
    initialState: { systemPrompt: '', model, tools: [echo] },
    streamFn: (_model, context) => streamTo(context),
  })
}

const model: Model<'scripted'> = {
  id: 'scripted',
  name: 'scripted',
  api: 'scripted',
  provider: 'bench',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 100_000,
}

function streamTo({ messages }: Context) {
  const stream = createAssistantMessageEventStream()
  // Instructions come before what the user says.
  const start = messages.findIndex(({ role }) => role === 'user')
  const plan = planOf(messages[start])
  const calls = callsAfter(plan, messages.length - start, (count) => count + 1)
  const message: AssistantMessage = {
    role: 'assistant',
    content: [{ type: 'text', text: assistantText }, ...calls.map((call) => ({ ...call, type: 'toolCall' as const }))],
    api: 'scripted',
    provider: 'bench',
    model: 'scripted',
    usage: {
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 2,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: calls.length === 0 ? 'stop' : 'toolUse',
    timestamp: 0,
  }
  queueMicrotask(async () => {
    const { deltas = 0 } = plan
    stream.push({ type: 'start', partial: message })
    for (let index = 0; index < deltas; index++) {
      stream.push({ type: 'text_delta', contentIndex: 0, delta: 'word ', partial: message })
      await Promise.resolve()
    }
    stream.push({ type: 'done', reason: calls.length === 0 ? 'stop' : 'toolUse', message })
    stream.end(message)
  })
  return stream
}

function planOf(first: Context['messages'][number] | undefined): Plan {
  if (first?.role !== 'user') throw new Error('The run has no prompt.')
  if (typeof first.content === 'string') return planIn(first.content)
  const [part] = first.content
  return planIn(part?.type === 'text' ? part.text : '')
}
