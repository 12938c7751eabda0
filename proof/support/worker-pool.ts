import { type ResourceLimits, Worker } from 'node:worker_threads'

/** The threads of a pool. */
interface PoolOptions {
  /** The program of each thread: it answers each message, which is a task, by one message. */
  readonly program: URL
  /** The number of threads. */
  readonly width: number
  readonly resourceLimits?: ResourceLimits
  /** A task that takes longer, in milliseconds, is given up with its thread. Default: none is. */
  readonly patienceMs?: number
}

/** Threads that perform tasks one at a time each. */
export class WorkerPool<Task> {
  readonly #options: PoolOptions

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /**
   * Performs tasks in order and gives the results in that order. `lost` answers for a task whose thread had to be given
   * up. Where `done` returns true, no further task is begun.
   */
  async perform<Result>(
    tasks: readonly Task[],
    lost: (task: Task, why: string) => Result = giveUp,
    done: (result: Result, position: number) => boolean | void = () => {},
  ): Promise<readonly Result[]> {
    const { width, patienceMs } = this.#options
    let isOver = false
    const results = new Map<number, Result>()
    let next = 0
    const lane = async () => {
      let worker: Worker | undefined
      for (let position = next++; position < tasks.length && !isOver; position = next++) {
        const task = tasks[position]
        if (task === undefined) break
        worker ??= startWorker(this.#options)
        const answer = await ask<Result>(worker, task, patienceMs)
        if ('why' in answer) {
          await worker.terminate()
          worker = undefined
        }
        const result = 'why' in answer ? lost(task, answer.why) : answer.result
        results.set(position, result)
        isOver ||= done(result, position) === true
      }
      await worker?.terminate()
    }
    await Promise.all(Array.from({ length: width }, lane))
    return [...results.entries()].toSorted(([left], [right]) => left - right).map(([, result]) => result)
  }
}

function giveUp(_task: unknown, why: string): never {
  throw new Error(`A task was given up: ${why}`)
}

function startWorker({ program, resourceLimits }: PoolOptions): Worker {
  return new Worker(program, resourceLimits === undefined ? {} : { resourceLimits })
}

type Answer<Result> = { readonly result: Result } | { readonly why: string }

function ask<Result>(worker: Worker, task: unknown, patienceMs: number | undefined): Promise<Answer<Result>> {
  return new Promise((resolve) => {
    const settle = (answer: Answer<Result>) => {
      clearTimeout(timer)
      worker.off('message', told).off('error', failed).off('exit', left)
      resolve(answer)
    }
    const told = (result: Result) => settle({ result })
    const failed = (error: unknown) => settle({ why: error instanceof Error ? error.message : String(error) })
    const left = () => settle({ why: 'the thread ended' })
    const late = () => settle({ why: `no answer within ${Number(patienceMs) / 1000} s` })
    const timer = patienceMs === undefined ? undefined : setTimeout(late, patienceMs)
    worker.on('message', told).on('error', failed).on('exit', left)
    worker.postMessage(task)
  })
}
