import { Worker } from 'node:worker_threads'
import type { Task } from './worker.ts'

/** A task that took longer than this, in milliseconds, is given up with its thread. */
const patienceMs = 300_000

/** Threads that perform tasks one at a time each; `lost` answers for a task whose thread had to be given up. */
export class WorkerPool {
  readonly #width: number

  constructor(width: number) {
    this.#width = width
  }

  /** Performs tasks in order and gives the results in that order. */
  async perform<Result>(
    tasks: readonly Task[],
    lost: (task: Task, why: string) => Result,
    done: (result: Result, position: number) => void = () => {},
  ): Promise<readonly Result[]> {
    const results = new Map<number, Result>()
    let next = 0
    const lane = async () => {
      let worker: Worker | undefined
      for (let position = next++; position < tasks.length; position = next++) {
        const task = tasks[position]
        if (task === undefined) break
        worker ??= startWorker()
        const answer = await ask<Result>(worker, task)
        if ('why' in answer) {
          await worker.terminate()
          worker = undefined
        }
        const result = 'why' in answer ? lost(task, answer.why) : answer.result
        results.set(position, result)
        done(result, position)
      }
      await worker?.terminate()
    }
    await Promise.all(Array.from({ length: this.#width }, lane))
    return [...results.entries()].toSorted(([left], [right]) => left - right).map(([, result]) => result)
  }
}

function startWorker(): Worker {
  return new Worker(new URL('worker.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 1500 } })
}

type Answer<Result> = { readonly result: Result } | { readonly why: string }

function ask<Result>(worker: Worker, task: Task): Promise<Answer<Result>> {
  return new Promise((resolve) => {
    const settle = (answer: Answer<Result>) => {
      clearTimeout(timer)
      worker.off('message', told).off('error', failed).off('exit', left)
      resolve(answer)
    }
    const told = (result: Result) => settle({ result })
    const failed = (error: unknown) => settle({ why: error instanceof Error ? error.message : String(error) })
    const left = () => settle({ why: 'the thread ended' })
    const timer = setTimeout(() => settle({ why: `no answer within ${patienceMs / 1000} s` }), patienceMs)
    worker.on('message', told).on('error', failed).on('exit', left)
    worker.postMessage(task)
  })
}
