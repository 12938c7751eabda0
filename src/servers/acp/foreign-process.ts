import { type ChildProcess, spawn } from 'node:child_process'
import { killGroup } from '../../adapters/tools/kill-processes.ts'
import { redactorOf } from '../../core/domain/text/redactor.ts'

/** The command that starts a foreign agent. */
export interface ForeignProcess {
  readonly command: string
  readonly args?: readonly string[]
  /** Variables in addition to PATH, HOME, LANG, TERM and TZ; no other variable of this process is passed on. */
  readonly env?: Readonly<Record<string, string>>
  /** The folder that the agent works in, an absolute path. */
  readonly cwd: string
  /** A mode of the agent that asks before it acts. Default: the one that it begins with. */
  readonly mode?: string
}

const passed = ['PATH', 'HOME', 'LANG', 'TERM', 'TZ']
/** Characters of standard error that are kept. */
const mostWritten = 2_000
/** Milliseconds for which output is read after the end. */
const drainMs = 250
/** The length below which a value is too common to be masked. */
const shortest = 8

/** A process in its own process group, which ends with it. */
export class ForeignChild {
  readonly child: ChildProcess
  readonly #gone = Promise.withResolvers<void>()
  /** Resolves when the process has ended and its output has been read. */
  readonly gone = this.#gone.promise
  /** The end of its standard error, with the values of its own variables masked. */
  wrote = ''

  /** Calls `ended` with the reason of the end. */
  constructor({ command, args = [], env = {}, cwd }: ForeignProcess, ended: (why: string) => void) {
    const own = Object.fromEntries(passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
    this.child = spawn(command, [...args], { cwd, env: { ...own, ...env }, stdio: 'pipe', detached: true })
    const values = Object.entries(env).flatMap(([name, value]) => (value.length < shortest ? [] : [{ name, value }]))
    const masked = redactorOf(values).stream()
    const keep = (text: string) => (this.wrote = (this.wrote + text).slice(-mostWritten))
    const end = (why: string) => {
      ended(why)
      this.#gone.resolve()
    }
    const over = (code: number | null, signal: string | null) => {
      keep(masked.end())
      end(`it ended with ${code ?? signal}.${this.lastWords}`)
    }
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => keep(masked.push(text)))
    this.child.once('error', (error) => end(`it could not be started: ${error.message}`))
    this.child.once('close', over)
    // A process that has left the group may hold the output open.
    this.child.once('exit', (code, signal) => {
      this.kill()
      setTimeout(over, drainMs, code, signal).unref()
    })
  }

  /** The end of its output as a sentence, or empty. */
  get lastWords(): string {
    const last = this.wrote.trim().slice(-400)
    return last === '' ? '' : ` It wrote: ${last}`
  }

  /** Ends the process and all that it has started in its group. */
  kill(): void {
    killGroup(this.child.pid, 'SIGKILL')
  }
}
