import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  createAgent,
  type Ids,
  type Model,
  type Run,
} from '../../src/index.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { type FakeClock, fakeClock } from './fake-clock.ts'
import { say } from './say.ts'

/** An agent with everything around it under a test's control. */
export interface TestAgent {
  readonly agent: Agent
  readonly store: Store
  readonly clock: FakeClock
  /** The prompts that the model received, one list of lines for each call. */
  readonly prompts: (readonly string[])[]
  /** The tools that the model was offered at each call. */
  readonly toolChoices: (string | undefined)[]
}

export interface TestAgentOptions extends Omit<Partial<AgentOptions>, 'model' | 'clock' | 'ids' | 'store'> {
  readonly replies?: Parameters<typeof scripted>[0]
  readonly model?: Model
  readonly store?: Store
  readonly clock?: FakeClock
  /** Tells the ids of two agents on one store apart. */
  readonly process?: string
}

/** The run id every test uses unless it needs two. */
export const runId = 'run-1'

/** Builds an agent; the model plays `replies` by the number of answers it sees. */
export function testAgent({ replies = [], process = 'p1', ...options }: TestAgentOptions = {}): TestAgent {
  const { clock = fakeClock(), store = memoryStore({ clock }), model, ...rest } = options
  const prompts: (readonly string[])[] = []
  const toolChoices: (string | undefined)[] = []
  const inner = model ?? scripted(replies, { now: clock.now })
  const recording: Model = {
    ...inner,
    stream(request) {
      prompts.push(request.messages.map(say))
      toolChoices.push(request.toolChoice)
      return inner.stream(request)
    },
  }
  const agent = createAgent({ name: 'test', model: recording, store, clock, ids: countedIds(process), ...rest })
  return { agent, store, clock, prompts, toolChoices }
}

/** Ids that count: `sus_p1_1`, `sus_p1_2`. */
export function countedIds(process: string): Ids {
  const counts = new Map<string, number>()
  return {
    next: (prefix) => {
      const count = (counts.get(prefix) ?? 0) + 1
      counts.set(prefix, count)
      return `${prefix}_${process}_${count}`
    },
  }
}

/** A reply the test gives when it likes. */
export interface HeldReply {
  readonly reply: ScriptedReply
  /** Resolves once the model has been asked. */
  readonly asked: Promise<void>
  give(answer: Exclude<ScriptedReply, (...args: never) => unknown>): void
}

/** A reply that waits for the test. */
export function heldReply(): HeldReply {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Exclude<ScriptedReply, (...args: never) => unknown>>()
  return {
    reply: () => {
      asked.resolve()
      return answer.promise
    },
    asked: asked.promise,
    give: answer.resolve,
  }
}

/** Drives a run to its rest and gives all its events. */
export async function eventsOf(run: Run): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

/** Stops driving as a dying process would, with nothing more written. */
export async function stop(run: Run, driving: Promise<unknown>): Promise<void> {
  await run.detach()
  await driving.catch(() => undefined)
}

/** Lets everything that is ready happen, without time passing. */
export async function quiet(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise<void>((resolve) => setImmediate(resolve))
}
