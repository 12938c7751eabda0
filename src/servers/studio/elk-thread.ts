import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Chart } from '../../../machines/index.ts'
import type { ChartPart } from './chart-part.ts'
import type { DrawnChart } from './drawn-chart.ts'
import { chartOfElk, type ElkNode, elkOf } from './elk-graph.ts'

/** The program of the thread: `elkjs` is large and slow to load, and must not block the server. */
const program = `
const { parentPort, workerData } = require('node:worker_threads')
const Elk = require(workerData)
const elk = new Elk()
parentPort.on('message', ({ id, graph }) => elk.layout(graph).then(
  (laid) => parentPort.postMessage({ id, laid }),
  () => parentPort.postMessage({ id }),
))`

/** Lays charts out with the optional package `elkjs`, in a thread that is started with the first one. */
export class ElkThread {
  readonly #path = pathOfElk()
  readonly #waiting = new Map<number, (laid: ElkNode | undefined) => void>()
  #thread: Worker | undefined
  #last = 0

  /** Undefined if the package is missing or could not do it. */
  async draw(name: string, part: ChartPart, whole: Chart): Promise<DrawnChart | undefined> {
    if (this.#path === undefined) return undefined
    const graph = elkOf(part, whole)
    const laid = await this.#layOut(this.#path, graph)
    return laid && chartOfElk(name, laid, part, whole)
  }

  async close(): Promise<void> {
    this.#giveUp()
    await this.#thread?.terminate()
  }

  #layOut(path: string, graph: ElkNode): Promise<ElkNode | undefined> {
    const thread = (this.#thread ??= this.#start(path))
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      thread.postMessage({ id, graph })
    })
  }

  #start(path: string): Worker {
    const thread = new Worker(program, { eval: true, workerData: path })
    thread.unref()
    thread.on('message', ({ id, laid }: { readonly id: number; readonly laid?: ElkNode }) => {
      this.#waiting.get(id)?.(laid)
      this.#waiting.delete(id)
    })
    thread.on('error', () => this.#giveUp())
    thread.on('exit', () => this.#giveUp())
    return thread
  }

  #giveUp(): void {
    for (const resolve of this.#waiting.values()) resolve(undefined)
    this.#waiting.clear()
  }
}

function pathOfElk(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('elkjs/lib/elk.bundled.js')
  } catch {
    return undefined
  }
}
