import { type Agent, type AgentOptions, createAgent, tool } from '../src/index.ts'
import type { Model, ModelEvent } from '../src/core/ports/model.ts'
import type { Store } from '../src/core/ports/store.ts'
import { argumentText, assistantText, callId, resultText } from './texts.ts'

/** The run an agent of a benchmark plays. */
export interface CountingPlan {
  readonly turns: number
  /** Calls a turn. Default 1. */
  readonly calls?: number
  readonly store: Store
  /** What the model says and the tool answers. Default: one short sentence. */
  readonly text?: string
  /** Who watches it, or what it has beside. Default: nobody, and nothing. */
  readonly watched?: Pick<AgentOptions, 'inspect' | 'tracer' | 'services' | 'broker' | 'interpreter'>
}

/** An agent whose model makes calls for so many turns, then ends; nothing but the engine takes time. */
export function countingAgent({ turns, calls = 1, store, text, watched = {} }: CountingPlan): Agent {
  const model = modelThat((asked) => {
    const turn = (asked - 1) / (calls + 1)
    const made = turn < turns ? calls : 0
    return { text: text ?? assistantText, calls: Array.from({ length: made }, (_, index) => callOf(turn, index)) }
  })
  const tools = [echoTool(text ?? resultText)]
  // The model answers by the number of messages it is shown.
  return createAgent({
    name: 'bench',
    model,
    tools,
    store,
    compaction: false,
    ...watched,
    limits: { maxTurns: Infinity, maxTokens: Infinity, maxDurationMs: Infinity, maxCallsPerTurn: 256 },
  })
}

/** A call of a tool. */
export interface EchoCall {
  readonly id: string
  readonly name: string
  readonly arguments: { readonly [name: string]: string }
}

/** A call of a turn, to `echo` unless another tool is named. */
export function callOf(turn: number, index: number, name = 'echo'): EchoCall {
  return { id: callId(turn, index), name, arguments: { text: argumentText(turn, index) } }
}

/** What a model of a benchmark says. */
export interface CountedAnswer {
  /** Default: one short sentence. */
  readonly text?: string
  /** Default none. */
  readonly calls?: readonly EchoCall[]
}

/** A model that answers by the number of messages it is shown. */
export function modelThat(answer: (messages: number) => CountedAnswer): Model {
  return {
    provider: 'bench',
    id: 'counting',
    async *stream({ messages }): AsyncIterable<ModelEvent> {
      const { text = assistantText, calls = [] } = answer(messages.length)
      yield {
        type: 'finished',
        message: {
          role: 'assistant',
          content: [{ type: 'text', text }, ...calls.map((call) => ({ ...call, type: 'toolCall' as const }))],
          stopReason: calls.length === 0 ? 'stop' : 'toolUse',
          model: 'counting',
          provider: 'bench',
          usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
          timestamp: 0,
        },
      }
    },
  }
}

/** A tool that answers with this text. */
export function echoTool(text: string) {
  return tool({
    name: 'echo',
    description: 'Answers with a text.',
    input: { type: 'object' },
    effects: 'none',
    execute: () => text,
  })
}
