import { ifStored } from '../domain/store-error.ts'
import type { Agent } from '../agent/agent.ts'
import type { ToolType } from '../domain/event.ts'
import { coreOf } from '../driving/core-of.ts'
import type { Prompt } from '../driving/read-prompt.ts'
import type { RunResult } from '../driving/run-result.ts'
import type { Store } from '../ports/store.ts'
import { isRecord } from '../domain/text/json.ts'
import * as is from '../domain/text/option-shape.ts'
import { isText } from '../domain/text/shape.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { ignoreThrows } from '../domain/ignore-throws.ts'
import { BatchCosts } from './batch-costs.ts'

/** One item of a batch. Its id is the id of its run, so that a repeated batch finds its earlier runs. */
export interface BatchItem {
  readonly id: string
  readonly prompt: Prompt
}

/** The progress of a batch. */
export interface BatchProgress {
  readonly total: number
  /** The number of runs that rest, including failed runs and runs that wait for a person. */
  readonly done: number
  readonly failed: number
  /** US dollars of all answers so far, including runs from earlier batches. */
  readonly cost: number
  /** The expected remaining milliseconds at the current pace; absent before the first run is done. */
  readonly leftMs?: number
}

/** Options of a batch. */
export interface BatchOptions {
  /** The number of runs driven in parallel. Default 8. */
  readonly concurrency?: number
  /** US dollars for all runs: no run begins if finished and expected costs reach it. Default: no limit. */
  readonly budget?: number
  /** The number of new attempts for a run that ended in an error, with ids such as `{id}.retry-1`. Default 0. */
  readonly retryFailed?: number
  readonly onProgress?: (progress: BatchProgress) => unknown
}

/** The outcome of one item: its result, or the error of its drive, or neither if it was not begun. */
export interface BatchResult<Output = unknown> {
  readonly id: string
  readonly result?: RunResult<Output>
  readonly error?: unknown
}

const checkItems = is.listOf(
  is.expecting('an item such as { id, prompt }', (item) => isRecord(item) && isText(item['id'])),
)

/**
 * Runs many prompts with limited concurrency and returns their results in order. A repeated batch continues after a
 * crash: finished runs are found by id and are not paid for again. Rejects with `UsageError` `bad_option` for invalid
 * options, for an agent that `createAgent` has not created, and for a duplicate id. The failure of one run is part of
 * its result.
 *
 * @example
 * const results = await runAll(agent, documents.map(({ id, text }) => ({ id, prompt: text })), { budget: 5 })
 */
export async function runAll<Output>(
  agent: Agent<ToolType, Output>,
  items: readonly BatchItem[],
  options: BatchOptions = {},
): Promise<readonly BatchResult<Output>[]> {
  checkItems(items, { field: 'items', owner: 'runAll' })
  is.checkOptions('runAll', options, shape)
  const { concurrency = 8, budget = Number.POSITIVE_INFINITY, retryFailed = 0, onProgress } = options
  checkIds(items, retryFailed)
  const { store } = coreOf(agent, 'runAll')
  const tell = ignoreThrows((progress: BatchProgress) => onProgress?.(progress))
  const costs = new BatchCosts()
  const results: BatchResult<Output>[] = items.map(({ id }) => ({ id }))
  const startedAt = performance.now()
  let next = 0
  let done = 0
  let failed = 0

  async function settle(id: string, prompt: Prompt): Promise<RunResult<Output>> {
    costs.begin(id)
    try {
      const result = await agent.start(prompt, { runId: id, ifExists: 'attach' }).settled({ follow: true })
      costs.end(id, result.cost)
      return result
    } catch (error) {
      costs.drop(id)
      throw error
    }
  }

  /** Settles a run within the budget. Nothing is awaited between the check and the start, so that no run exceeds it. */
  async function settleWithin(id: string, prompt: Prompt): Promise<RunResult<Output> | undefined> {
    if (costs.expected >= budget && !(await isDone(store, id))) return undefined
    return settle(id, prompt)
  }

  async function play({ id, prompt }: BatchItem): Promise<BatchResult<Output> | undefined> {
    try {
      let result = await settleWithin(id, prompt)
      if (result === undefined) return undefined
      for (let retry = 1; retry <= retryFailed && hasFailed(result); retry++) {
        const again = await settleWithin(`${id}.retry-${retry}`, prompt)
        if (again === undefined) break
        result = again
      }
      return { id, result }
    } catch (error) {
      return { id, error }
    }
  }

  async function work(): Promise<void> {
    while (next < items.length) {
      const index = next++
      const item = items[index]
      if (item === undefined) return
      const played = await play(item)
      if (played === undefined) continue
      results[index] = played
      done++
      if (played.result === undefined || hasFailed(played.result)) failed++
      const leftMs = ((performance.now() - startedAt) / done) * (items.length - done)
      tell({ total: items.length, done, failed, cost: costs.soFar, leftMs })
    }
  }

  const stopListening = agent.on((event) => {
    if (event.type === 'message.ended' && event.message.role === 'assistant') {
      costs.add(event.runId, event.message.cost ?? 0)
    }
  })
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work))
  } finally {
    stopListening()
  }
  return results
}

async function isDone(store: Store, id: string): Promise<boolean> {
  return (await ifStored(store.record(id)))?.status === 'done'
}

function hasFailed({ outcome }: RunResult): boolean {
  return outcome.reason === 'error'
}

function checkIds(items: readonly BatchItem[], retryFailed: number): void {
  const seen = new Set<string>()
  const ids = new Set(items.map(({ id }) => id))
  for (const { id } of items) {
    if (seen.has(id)) {
      throw new UsageError('bad_option', `Two items of the batch have the id "${id}". Give each a unique id.`)
    }
    const [, first = '', retry = ''] = /^(.*)\.retry-([1-9]\d*)$/s.exec(id) ?? []
    if (ids.has(first) && Number(retry) <= retryFailed) {
      const wish = 'Give it another id, so that each has its own run.'
      throw new UsageError('bad_option', `The item "${id}" has the id of a retry of the item "${first}". ${wish}`)
    }
    seen.add(id)
  }
}

const shape: is.OptionShape<BatchOptions> = {
  concurrency: is.optional(is.wholeFrom(1)),
  budget: is.optional(is.number('more than 0 US dollars', (value) => value > 0)),
  retryFailed: is.optional(is.wholeFrom(0)),
  onProgress: is.optional(is.callback),
}
