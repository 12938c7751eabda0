import { type ChildProcess, fork } from 'node:child_process'
import type { Asked, Told } from './play-subject.ts'

/** A subject in a process of its own, which measures when it is asked and is quiet otherwise. */
export class SubjectProcess {
  readonly name: string
  /** Why it cannot be measured; absent while it can. */
  failure: string | undefined
  readonly #child: ChildProcess

  constructor(name: string) {
    this.name = name
    const program = new URL('play-subject.ts', import.meta.url)
    this.#child = fork(program, [name], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  }

  /** Resolves once the framework is loaded, or has failed to be. */
  async isReady(): Promise<void> {
    await this.#answer()
  }

  /** One figure; undefined where the subject does not play this workload, or has failed. */
  async measure(asked: Asked): Promise<number | undefined> {
    if (this.failure !== undefined) return undefined
    this.#child.send(asked)
    return this.#answer()
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect()
  }

  async #answer(): Promise<number | undefined> {
    const told = await new Promise<Told>((resolve) => {
      let said = ''
      const hear = (chunk: Buffer) => (said = `${said}${chunk}`.slice(-300))
      const end = () => resolve({ failure: said.trim() || 'its process ended' })
      this.#child.stderr?.on('data', hear)
      this.#child.once('exit', end)
      this.#child.once('message', (message: Told) => {
        this.#child.off('exit', end)
        this.#child.stderr?.off('data', hear)
        resolve(message)
      })
    })
    if ('figure' in told) return told.figure
    this.failure = told.failure
    return undefined
  }
}
