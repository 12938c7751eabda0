import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { leaseMs } from './soak-agents.ts'

const drivingProgram = 'worker.ts'
const serviceProgram = 'service.ts'

/** The minimum number of processes to kill, and of stops of one. */
export interface Wanted {
  readonly kills: number
  readonly stops: number
}

/**
 * Real processes that are killed at random moments and replaced until that was enough. One that drives is stopped
 * before, once or twice, for longer than its lease lasts, and goes on while others drive its runs.
 */
export class Processes {
  readonly #folder: string
  readonly #given: readonly string[]
  readonly #random: () => number
  readonly #wanted: Wanted
  #kills = 0
  #brokerKills = 0
  #stops = 0
  #isOver = false
  #failure: string | undefined

  /** `given` is what each process is told on its command line, behind the folder and a seed. */
  constructor(folder: string, given: readonly string[], random: () => number, wanted: Wanted) {
    this.#folder = folder
    this.#given = given
    this.#random = random
    this.#wanted = wanted
  }

  get kills(): number {
    return this.#kills
  }

  /** Kills of the broker that carries events to the service, among `kills`. */
  get brokerKills(): number {
    return this.#brokerKills
  }

  /** Processes that were stopped and went on. */
  get stops(): number {
    return this.#stops
  }

  get isEnough(): boolean {
    return this.#kills >= this.#wanted.kills && this.#stops >= this.#wanted.stops
  }

  /** The output of a process that ended on its own. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Compiles the programs once, so that a process that is killed soon has got to work before. */
  warmUp(): void {
    const path = join(import.meta.dirname, 'warm-up.ts')
    spawnSync(process.execPath, [path], { env: this.#env() })
  }

  /** Keeps one process of a program running, kill after kill, until `stop`. */
  async keep(program: string): Promise<void> {
    while (!this.#isOver && this.#failure === undefined) await this.#runOnce(program)
  }

  stop(): void {
    this.#isOver = true
  }

  async #runOnce(program: string): Promise<void> {
    const path = join(import.meta.dirname, program)
    const seed = String(Math.floor(this.#random() * 2 ** 32))
    const child = spawn(process.execPath, [path, this.#folder, seed, ...this.#given], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.#env(),
    })
    const printed: string[] = []
    child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()))
    const closed = once(child, 'close')
    const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), closed.then(() => false)])
    if (isReady) {
      if (program === drivingProgram) await this.#stopForAWhile(child)
      if (program === drivingProgram && this.#random() < 0.5) await this.#stopForAWhile(child)
      await this.#killLater(program, child, closed)
    }
    if (child.signalCode !== 'SIGKILL') this.#failure = `${program} ended on its own: ${printed.join('').trim()}`
  }

  #env(): NodeJS.ProcessEnv {
    return { ...process.env, NODE_COMPILE_CACHE: join(this.#folder, 'compiled') }
  }

  /** Stops at a random moment and lets go on once its lease is over; not once enough were stopped. */
  async #stopForAWhile(child: ChildProcess): Promise<void> {
    await this.#waitUntil(performance.now() + this.#random() * 300, child)
    if (child.exitCode !== null || this.isEnough) return
    child.kill('SIGSTOP')
    await this.#waitUntil(performance.now() + leaseMs * (1.1 + this.#random()), child)
    child.kill('SIGCONT')
    this.#stops++
  }

  async #waitUntil(due: number, child: ChildProcess): Promise<void> {
    while (child.exitCode === null && performance.now() < due) await tick()
  }

  /** Kills at a random moment; once enough were killed, at the end. */
  async #killLater(program: string, child: ChildProcess, closed: Promise<unknown>): Promise<void> {
    const due = performance.now() + 10 + this.#random() * 800
    const isCounted = !this.isEnough
    while (child.exitCode === null && (isCounted ? performance.now() < due : !this.#isOver)) await tick()
    if (child.exitCode !== null) return
    if (isCounted) {
      this.#kills++
      if (program === serviceProgram) this.#brokerKills++
    }
    child.kill('SIGKILL')
    await closed
  }
}

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2))
}
