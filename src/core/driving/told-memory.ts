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
export function toldMemory(memory: Memory) {
  let sender: Sender | undefined
  const catchUp = async () => {
    await sender?.settled()
    await sender?.flush(rounds).catch(() => undefined)
  }

  /**
   * Queries the memory at the start of a run, after the data that earlier runs of the store left for the memory was
   * delivered.
   */
  async function recall(query: MemoryQuery) {
    await catchUp()
    return memory.query(query)
  }

  /** Starts delivering, including what was left before. */
  function begin({ name, store, clock, parts, watchers }: AgentCore): void {
    const onFailure = async (failure: PublishFailure) => {
      const { runId } = failure.row
      const subject = await store.record(runId).then(
        (record) => record.subject ?? runId,
        () => runId,
      )
      watchers.tell({ type: 'memory.failed', runId, subject, at: clock.now(), part: 'add', ...toldOf(failure) })
    }
    sender = outboxSender({
      of: 'an agent with a memory',
      kinds: [memoryKind(name)],
      store,
      clock,
      deliver: (row) => memory.add(row.body as unknown as MemoryItem),
      maxAttempts,
      attemptMs: Math.min(parts.pluginTimeoutMs, mostAttemptMs),
      onFailure,
    })
  }

  /** Delivers due items once more; the rest waits for the next process. */
  async function stop(): Promise<void> {
    await catchUp()
    await sender?.stop()
  }

  const plugin: Plugin = { name: 'memory', recall }
  return { plugin, begin, stop }
}

function toldOf({ row, problem, isAside }: PublishFailure): { readonly key: string; readonly message: string } {
  const next = isAside
    ? `It is set aside until retryOutgoing(store, key), with the key ${row.key}.`
    : 'It will be sent again.'
  return { key: row.id, message: `The memory did not accept "${row.id}": ${problem} ${next}` }
}
