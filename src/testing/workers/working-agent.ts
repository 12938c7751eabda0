import { createAgent } from '../../core/agent/create-agent.ts'
import type { Agent } from '../../core/agent/agent.ts'
import type { AssistantMessage } from '../../core/domain/message.ts'
import { noUsage } from '../../core/domain/usage.ts'
import { createWorker, type Worker, type WorkerEvent } from '../../core/workers/worker.ts'
import { tool } from '../../core/ports/define-tool.ts'
import type { Store } from '../../core/ports/store.ts'

/** The effects of the suite's tools, in order. */
export type Done = string[]

/** Returns an agent whose model calls `act` after the person agrees, and then answers that it is done. */
export function workingAgent(store: Store, done: Done, name = 'clerk'): Agent {
  const act = tool({
    name: 'act',
    description: 'Does what is asked.',
    input: { type: 'object' },
    needs: 'approval',
    execute: async (_, { runId }) => {
      done.push(runId)
      return 'It is done.'
    },
  })
  const model = {
    provider: 'script',
    id: 'script',
    async *stream({ messages }: { readonly messages: readonly { readonly role: string }[] }) {
      yield { type: 'finished' as const, message: answer(messages.some(({ role }) => role === 'assistant')) }
    },
  }
  return createAgent({ name, model, tools: [act], store })
}

function answer(isSecond: boolean): AssistantMessage {
  const call = { type: 'toolCall' as const, id: 'c1', name: 'act', arguments: {} }
  return {
    role: 'assistant',
    content: isSecond ? [{ type: 'text', text: 'Done.' }] : [call],
    stopReason: isSecond ? 'stop' : 'toolUse',
    model: 'script',
    provider: 'script',
    usage: noUsage,
    timestamp: 0,
  }
}

/** A worker, with a function that waits for its events. */
export interface WatchedWorker extends AsyncDisposable {
  readonly worker: Worker
  /** Resolves with the first past or future event for which the predicate is true. */
  until(isMeant: (event: WorkerEvent) => boolean): Promise<WorkerEvent>
}

/** Returns a worker for agents that records its events. */
export function watchedWorker(agents: readonly Agent[], maxFailures = 5): WatchedWorker {
  const worker = createWorker({ agents, concurrency: 4, pollMs: 100, maxFailures })
  const events: WorkerEvent[] = []
  const looks = new Set<() => void>()
  worker.on((event) => {
    events.push(event)
    for (const look of looks) look()
  })
  return {
    worker,
    until: (isMeant) =>
      new Promise((resolve) => {
        const look = () => {
          const found = events.find(isMeant)
          if (found !== undefined) resolve(found)
        }
        looks.add(look)
        look()
      }),
    [Symbol.asyncDispose]: () => worker.drain({ drainMs: 0 }),
  }
}
