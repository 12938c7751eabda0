import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReadBuffer, Transport } from '@modelcontextprotocol/client'
import { killGroup } from '../kill-processes.ts'

/** What the client package gives for messages as lines. */
export interface LineParts {
  readonly buffer: ReadBuffer
  serialize(message: Parameters<Transport['send']>[0]): string
}

/** What is started. */
export interface ServerProcess {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

/**
 * A server on the standard input and output of a child process that leads a group of its own: what it starts, behind
 * `sh -c` or `npx`, is in that group and ends with it.
 */
export class GroupTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  readonly #wanted: ServerProcess
  readonly #lines: LineParts
  readonly #wrote: (text: string) => void
  #child: ChildProcess | undefined
  #closing: Promise<void> | undefined

  constructor(wanted: ServerProcess, lines: LineParts, wrote: (text: string) => void) {
    this.#wanted = wanted
    this.#lines = lines
    this.#wrote = wrote
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#wanted
    const place = cwd === undefined ? {} : { cwd }
    const child = spawn(command, [...args], { env: { ...env }, detached: true, stdio: 'pipe', ...place })
    this.#child = child
    const fail = (error: Error) => this.onerror?.(error)
    for (const source of [child, child.stdin, child.stdout]) source.on('error', fail)
    child.stderr.on('data', (chunk: Buffer) => this.#wrote(chunk.toString()))
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    child.once('close', () => {
      killGroup(child.pid, 'SIGKILL')
      this.onclose?.()
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
  }

  async send(message: Parameters<Transport['send']>[0]): Promise<void> {
    const { stdin } = this.#child ?? {}
    if (!stdin?.writable) throw Object.assign(new Error('Not connected'), { code: 'NOT_CONNECTED' })
    if (!stdin.write(this.#lines.serialize(message))) await new Promise((resolve) => stdin.once('drain', resolve))
  }

  /** Ends its input, then asks the group to end, then kills it; whoever asks, and however often, waits for the same end. */
  async close(): Promise<void> {
    this.#closing ??= this.#end()
    await this.#closing
  }

  #take(chunk: Buffer): void {
    const { buffer } = this.#lines
    try {
      buffer.append(chunk)
    } catch (error) {
      this.onerror?.(asError(error))
      void this.close()
      return
    }
    for (;;) {
      try {
        const message = buffer.readMessage()
        if (message === null) return
        this.onmessage?.(message)
      } catch (error) {
        this.onerror?.(asError(error))
      }
    }
  }

  async #end(): Promise<void> {
    const { pid, stdin, stdout, stderr } = this.#child ?? {}
    stdin?.end()
    if (pid !== undefined && !(await isGone(pid))) {
      killGroup(pid, 'SIGTERM')
      if (!(await isGone(pid))) killGroup(pid, 'SIGKILL')
      await isGone(pid)
    }
    // What left the group may hold them open.
    for (const stream of [stdout, stderr]) stream?.destroy()
    this.#lines.buffer.clear()
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

/** Milliseconds between the end of a server's input and being asked to end, and between that and being killed. */
const graceMs = 2_000

/** True once no process of a group is there; false where one still is after the time it has. */
async function isGone(leader: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < graceMs; waitedMs += 10) {
    try {
      process.kill(-leader, 0)
    } catch {
      return true
    }
    await pause(10)
  }
  return false
}
