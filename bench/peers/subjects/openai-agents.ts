import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  RunState,
  setTracingDisabled,
  tool,
  Usage,
} from '@openai/agents'
import { z } from 'zod'
import { BareStore } from '../../bare-store.ts'
import { startWatch } from '../../stopwatch.ts'
import { assistantText, resultText } from '../../texts.ts'
import { callsAfter, echoText, listener, type Plan, planIn, promptOf } from '../script.ts'
import type { Subject } from '../subject.ts'

setTracingDisabled(true)
const parameters = z.object({ text: z.string() })

/** A suspended run is its state as text; that text is kept in the bare store, as the framework has no store. */
export const subject: Subject = {
  async run(plan) {
    await runner.run(agent, promptOf(plan).join(''), { maxTurns: 100_000 })
  },
  async deltas(count) {
    let read = 0
    const result = await runner.run(agent, promptOf({ turns: 0, calls: 0, deltas: count }).join(''), { stream: true })
    for await (const event of result) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') read++
    }
    if (read !== count) throw new Error(`${read} of ${count} deltas were read.`)
  },
  async resume(messages, path) {
    const plan: Plan = { turns: 1, calls: 1, tool: 'sign', users: messages - 1 }
    let read = startWatch('processor')
    listener.firstAsked = () => (read = startWatch('processor'))
    const first = new BareStore(path, 'normal')
    const given = promptOf(plan).map((content) => ({ type: 'message' as const, role: 'user' as const, content }))
    const waiting = await runner.run(agent, given)
    first.append('run', 1, { state: waiting.state.toString() })

    const second = new BareStore(path, 'normal')
    const [kept] = second.read('run') as { state: string }[]
    const state = await RunState.fromString(agent, kept?.state ?? '')
    for (const interruption of state.getInterruptions()) state.approve(interruption)
    const done = await runner.run(agent, state)
    second.append('run', 2, { state: done.state.toString() })
    const time = read()
    listener.firstAsked = () => {}
    if (done.finalOutput !== assistantText) throw new Error(`The run ended with ${JSON.stringify(done.finalOutput)}.`)
    first.close()
    second.close()
    return time
  },
}

const model: Model = {
  async getResponse(request) {
    return answerTo(request)
  },
  async *getStreamedResponse(request) {
    const { deltas = 1 } = planOf(request)
    yield { type: 'response_started' }
    for (let index = 0; index < deltas; index++) yield { type: 'output_text_delta', delta: 'word ' }
    const { output } = answerTo(request)
    yield { type: 'response_done', response: { id: 'r', usage: new Usage(), output } } as never
  },
}
const runner = new Runner({ tracingDisabled: true })
const agent = new Agent({
  name: 'peer',
  model,
  tools: [
    tool({ name: 'echo', description: 'Answers with a text.', parameters, execute: echoText }),
    tool({ name: 'sign', description: 'Signs.', parameters, needsApproval: true, execute: () => resultText }),
  ],
})

function answerTo(request: ModelRequest): ModelResponse {
  const calls = callsAfter(planOf(request), request.input.length, (count) => 1 + 2 * count)
  return {
    usage: new Usage({ inputTokens: 1, outputTokens: 1, totalTokens: 2 }),
    output: [
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: assistantText }],
      },
      ...calls.map((call) => ({
        type: 'function_call' as const,
        callId: call.id,
        name: call.name,
        status: 'completed' as const,
        arguments: JSON.stringify(call.arguments),
      })),
    ],
  }
}

function planOf({ input }: ModelRequest): Plan {
  const first = typeof input === 'string' ? input : input[0]
  if (typeof first === 'string') return planIn(first)
  if (first?.type !== 'message' || first.role !== 'user') throw new Error('The run has no prompt.')
  const { content } = first
  if (typeof content === 'string') return planIn(content)
  const [part] = content
  return planIn(part?.type === 'input_text' ? part.text : '')
}
