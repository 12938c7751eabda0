import { type ChildProcess, fork } from 'node:child_process'

/** What the process of a subject answers: a figure, nothing where it does not play that workload, or why it failed. */
export type Told = { readonly figure: number | undefined } | { readonly failure: string }

/** A subject in a process of its own, which measures when it is asked and is quiet otherwise. */
export class SubjectProcess<Asked extends object> {
  readonly name: string
  /** Why it cannot be measured; absent while it can. */
  failure: string | undefined
  readonly #child: ChildProcess

  /** `program` is told the parameters, says that it is ready, and then answers each thing it is asked. */
  constructor(name: string, program: URL, parameters: readonly string[]) {
    this.name = name
    // Who counts what is alive has to be able to collect the rest first.
    const execArgv = ['--expose-gc']
    this.#child = fork(program, [...parameters], { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  }

  /** Resolves once the subject is loaded, or has failed to be. */
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
      const hear = (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-300))
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
