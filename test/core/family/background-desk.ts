import {
  type Agent,
  type AgentOptions,
  createAgent,
  type Message,
  type Store,
  textOf,
  tool,
} from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

/** An answer with one call. */
export function calling(id: string, name: string, given: object = {}): ScriptedReply {
  return { toolCalls: [{ id, name, arguments: given as never }] }
}

/** Asks the reader, who works in the background. */
export const asking = calling('b', 'reader', { prompt: 'Read.' })
export const receipt = "[Tool 'reader' runs in the background. Its result will follow as a message.]"
export const result = "[Result of 'reader' (1.b): Two lamps.]"
export const cancelled = "[Background call 'reader' (1.b) was cancelled. No result will follow.]"

/** A desk with a reader that reads in the background. */
export interface Desk {
  readonly agent: Agent
  readonly store: Store
  /** Lets the reader answer, and resolves once its run has ended. */
  read(childRunId: string): Promise<void>
  /** Resolves once a condition on the store holds. */
  until(holds: () => Promise<boolean>): Promise<void>
}

interface DeskOptions extends Partial<AgentOptions> {
  readonly answers: readonly ScriptedReply[]
  readonly read?: () => Promise<string>
}

/** Creates a desk. Its tool `wait` lets the reader answer and returns once `results` results are stored for the run. */
export function desk({ answers, read, store = memoryStore(), ...others }: DeskOptions): Desk {
  const { promise, resolve } = Promise.withResolvers<string>()
  const reader = createAgent({ name: 'reader', model: scripted(read ?? (() => promise)) })
  const until: Desk['until'] = async (holds) => {
    while (!(await holds())) await new Promise((next) => setImmediate(next))
  }
  const wait = tool({
    name: 'wait',
    description: 'Waits for results.',
    input: { type: 'object', properties: { results: { type: 'number' } } },
    execute: async ({ results = 1 }: { readonly results?: number }, { runId }) => {
      if (results > 0) resolve('Two lamps.')
      await until(async () => (await store.inbox(runId, { kinds: ['background'] })).length >= results)
      return 'Waited.'
    },
  })
  const agent = createAgent({
    name: 'desk',
    store,
    model: scripted(answers),
    tools: [reader.asTool({ description: 'Reads.', background: true }), wait],
    ...others,
  })
  return {
    agent,
    store,
    until,
    read: async (childRunId) => {
      resolve('Two lamps.')
      await until(async () => (await store.record(childRunId)).status === 'done')
    },
  }
}

/** The role and the text of each message. */
export function shown(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => `${message.role}: ${textOf(message)}`)
}

/** The run that works for the only receipt. */
export async function childOf(agent: Agent, runId: string): Promise<string> {
  const [work] = await (await agent.load(runId)).background()
  return work?.childRunId ?? ''
}
