import type { Memory, MemoryItem, MemoryQuery } from '../ports/memory.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { AgentCore } from './agent-core.ts'
import { memoryKind } from './memory-items.ts'
import { outboxSender, type Sender, type PublishFailure } from './outbox-sender.ts'

const maxAttempts = 8
const mostAttemptMs = 10_000
/** The maximum rounds of rows that a flush or the agent's close waits for. */
const rounds = 8

/** Delivers the items of an agent's runs for a memory, until it is stopped. */
export class ToldMemory {
  readonly #memory: Memory
  #sender: Sender | undefined

  constructor(memory: Memory) {
    this.#memory = memory
  }

  /**
   * Queries the memory at the start of a run, after the data that earlier runs of the store left for the memory was
   * delivered.
   */
  get plugin(): Plugin {
    const recall = async (query: MemoryQuery) => {
      await this.#catchUp()
      return this.#memory.query(query)
    }
    return { name: 'memory', recall }
  }

  /** Starts delivering, including what was left before. */
  begin({ name, store, clock, parts, watchers }: AgentCore): void {
    const onFailure = async (failure: PublishFailure) => {
      const { runId } = failure.row
      const subject = await store.record(runId).then(
        (record) => record.subject ?? runId,
        () => runId,
      )
      watchers.tell({ type: 'memory.failed', runId, subject, at: clock.now(), part: 'add', ...toldOf(failure) })
    }
    this.#sender = outboxSender({
      of: 'an agent with a memory',
      kinds: [memoryKind(name)],
      store,
      clock,
      deliver: (row) => this.#memory.add(row.body as unknown as MemoryItem),
      maxAttempts,
      attemptMs: Math.min(parts.pluginTimeoutMs, mostAttemptMs),
      onFailure,
    })
  }

  /** Delivers due items once more; the rest waits for the next process. */
  async stop(): Promise<void> {
    await this.#catchUp()
    await this.#sender?.stop()
  }

  async #catchUp(): Promise<void> {
    await this.#sender?.settled()
    await this.#sender?.flush(rounds).catch(() => undefined)
  }
}

function toldOf({ row, problem, isAside }: PublishFailure): { readonly key: string; readonly message: string } {
  const next = isAside
    ? `It is set aside until retryOutgoing(store, key), with the key ${row.key}.`
    : 'It will be sent again.'
  return { key: row.id, message: `The memory did not accept "${row.id}": ${problem} ${next}` }
}
