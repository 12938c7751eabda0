import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { tool } from '@langchain/core/tools'
import { Command, interrupt, MemorySaver } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { z } from 'zod'
import { startWatch } from '../../stopwatch.ts'
import { assistantText, resultText } from '../../texts.ts'
import { callsAfter, echoText, listener, type Plan, planIn, promptOf } from '../script.ts'
import type { Subject } from '../subject.ts'

const schema = z.object({ text: z.string() })

/**
 * Its saver for SQLite needs a package that is compiled on installation, which is not done here: a suspended run is kept
 * in memory, and nothing is said of durable turns.
 */
export const subject: Subject = {
  async run(plan) {
    await agent.invoke({ messages: messagesOf(plan) }, { recursionLimit: 100_000 })
  },
  async deltas(count) {
    let read = 0
    const plan = { turns: 0, calls: 0, deltas: count }
    const stream = await streamingAgent.stream({ messages: messagesOf(plan) }, { streamMode: 'messages' })
    for await (const _ of stream) read++
    if (read < count) throw new Error(`${read} of ${count} deltas were read.`)
  },
  async resume(messages) {
    const plan: Plan = { turns: 1, calls: 1, tool: 'sign', users: messages - 1 }
    let read = startWatch('processor')
    listener.firstAsked = () => (read = startWatch('processor'))
    const checkpointer = new MemorySaver()
    const config = { configurable: { thread_id: 'run' }, recursionLimit: 100_000 }
    await agentOf(model, checkpointer).invoke({ messages: messagesOf(plan) }, config)
    const done = await agentOf(model, checkpointer).invoke(new Command({ resume: true }), config)
    const time = read()
    listener.firstAsked = () => {}
    if (done.messages.length !== messages + 2) throw new Error(`The run ended with ${done.messages.length} messages.`)
    return time
  },
}

function messagesOf(plan: Plan): BaseMessage[] {
  return promptOf(plan).map((text) => new HumanMessage(text))
}

const echo = tool(echoText, { name: 'echo', description: 'Answers with a text.', schema })
const sign = tool(
  () => {
    interrupt('May it be signed?')
    return resultText
  },
  { name: 'sign', description: 'Signs.', schema },
)

function agentOf(llm: BaseChatModel, checkpointer?: MemorySaver) {
  return createReactAgent({ llm, tools: [echo, sign], ...(checkpointer === undefined ? {} : { checkpointer }) })
}

class ScriptedModel extends BaseChatModel {
  override _llmType(): string {
    return 'scripted'
  }

  override bindTools(): this {
    return this
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const [first] = messages
    const calls = callsAfter(planIn(String(first?.content)), messages.length, (count) => count + 1)
    const message = new AIMessage({
      content: assistantText,
      tool_calls: calls.map((call) => ({ id: call.id, name: call.name, args: call.arguments, type: 'tool_call' })),
    })
    return { generations: [{ text: assistantText, message }] }
  }
}

/** The same with deltas; a model that can stream always does, so the others are played without. */
class StreamingModel extends ScriptedModel {
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: unknown,
    manager?: { handleLLMNewToken(token: string, ...rest: never[]): Promise<void> },
  ): AsyncGenerator<ChatGenerationChunk> {
    const { deltas = 1 } = planIn(String(messages[0]?.content))
    for (let index = 0; index < deltas; index++) {
      const chunk = new ChatGenerationChunk({ text: 'word ', message: new AIMessageChunk('word ') })
      yield chunk
      await manager?.handleLLMNewToken('word ', ...([undefined, undefined, undefined, undefined, { chunk }] as never[]))
    }
  }
}

const model = new ScriptedModel({})
const agent = agentOf(model)
const streamingAgent = agentOf(new StreamingModel({}))
