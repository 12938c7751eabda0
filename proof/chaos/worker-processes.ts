import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pick } from '../support/random.ts'
import { leaseMs } from './chaos-agent.ts'

/** Worker processes over one store, some of which are killed, or stopped for longer than their lease. */
export class WorkerProcesses {
  readonly #given: readonly string[]
  readonly #random: () => number
  #children: ChildProcess[] = []
  /** The output of a process that ended on its own. */
  failure: string | undefined

  /** `given` is what each process is told on its command line. */
  constructor(given: readonly string[], random: () => number) {
    this.#given = given
    this.#random = random
    // Each ends with its standard input, and so with this process; but one that is stopped hears nothing of it.
    process.once('exit', () => this.#children.forEach((child) => child.kill('SIGKILL')))
  }

  async begin(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#spawn()))
  }

  /** Kills one and begins another in its place. */
  async killOne(): Promise<void> {
    const child = pick(this.#children, this.#random)
    child?.kill('SIGKILL')
    if (child !== undefined) await gone(child)
    await this.#spawn()
  }

  /** Stops one past its lease, and lets it go on. */
  async stopOne(): Promise<void> {
    const child = pick(this.#children, this.#random)
    child?.kill('SIGSTOP')
    await pause(leaseMs * 1.25)
    child?.kill('SIGCONT')
  }

  /** Has all of them drain, and waits for their ends; gives their exit codes. */
  async end(): Promise<readonly (number | null)[]> {
    const children = this.#children
    this.#children = []
    for (const child of children) child.kill('SIGTERM')
    return Promise.all(children.map(gone))
  }

  async #spawn(): Promise<void> {
    const program = join(import.meta.dirname, 'worker-process.ts')
    const child = spawn(process.execPath, [program, ...this.#given], { stdio: ['pipe', 'pipe', 'pipe'] })
    const said: string[] = []
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()))
    child.on('exit', (code) => {
      this.#children = this.#children.filter((other) => other !== child)
      if (code !== null && code !== 0) this.failure = said.join('') || `exit code ${code}`
    })
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
    if (child.exitCode === null) this.#children.push(child)
  }
}

async function gone(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}
