import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as pause } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { groupOf, killGroup, killStrays } from '../kill-processes.ts'
import { mendMessage } from './mend-message.ts'
import { loadClient, loadStdio } from './load-client.ts'
import type { McpProcessOptions } from './mcp-options.ts'

/** Returns a valid message from parsed JSON; throws for anything else. */
export type ReadMessage = (message: unknown) => JSONRPCMessage

interface ServerProcess {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** The variable that marks the processes of a server that have left its group. */
const markName = 'STATEWRIGHT_MCP'

/** A server on the standard input and output of a child process. All processes that the child starts end with it. */
class GroupTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  readonly #wanted: ServerProcess
  readonly #read: ReadMessage
  readonly #maxBytes: number
  readonly #mark = randomUUID()
  readonly #decoder = new StringDecoder()
  readonly #wrote: (text: string) => void
  #child: ChildProcess | undefined
  #line = ''
  #lineBytes = 0
  #closing: Promise<void> | undefined

  constructor(wanted: ServerProcess, read: ReadMessage, maxBytes: number, wrote: (text: string) => void) {
    this.#wanted = wanted
    this.#read = read
    this.#maxBytes = maxBytes
    this.#wrote = wrote
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#wanted
    const place = cwd === undefined ? {} : { cwd }
    const child = spawn(command, [...args], {
      env: { ...env, [markName]: this.#mark },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: 'pipe',
      ...place,
    })
    this.#child = child
    const fail = (error: Error) => this.onerror?.(error)
    for (const source of [child, child.stdin, child.stdout]) source.on('error', fail)
    child.stderr.on('data', (chunk: Buffer) => this.#wrote(chunk.toString()))
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    child.once('close', () => {
      killGroup(child.pid, 'SIGKILL')
      void this.close()
      this.onclose?.()
    })
    await once(child, 'spawn')
  }

  async send(message: Parameters<Transport['send']>[0]): Promise<void> {
    const { stdin } = this.#child ?? {}
    if (!stdin?.writable) throw Object.assign(new Error('Not connected'), { code: 'NOT_CONNECTED' })
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await new Promise((resolve) => stdin.once('drain', resolve))
  }

  /** Closes the input, then asks the group to end, then kills it. Repeated calls wait for the same end. */
  async close(): Promise<void> {
    this.#closing ??= this.#end()
    await this.#closing
  }

  #take(chunk: Buffer): void {
    const end = chunk.lastIndexOf(newLine)
    this.#lineBytes = end === -1 ? this.#lineBytes + chunk.length : chunk.length - end - 1
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n')
    this.#line += first
    for (const next of others) {
      this.#receive(this.#line)
      this.#line = next
    }
    if (this.#lineBytes <= this.#maxBytes) return
    this.#line = ''
    this.onerror?.(new Error(`The server wrote a message of more than ${this.#maxBytes} bytes.`))
    void this.close()
  }

  /** Other text on the output is a log. */
  #receive(line: string): void {
    let parsed: unknown
    try {
      parsed = JSON.parse(line)
    } catch {
      return
    }
    try {
      this.onmessage?.(this.#read(mendMessage(parsed)))
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
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
    if (pid !== undefined) await killStrays([markName, this.#mark], pid)
    // Processes that left the group may hold them open.
    for (const stream of [stdout, stderr]) stream?.destroy()
  }
}

const newLine = 10

/** Milliseconds between the end of a server's input and being asked to end, and between that and being killed. */
const graceMs = 2_000

async function isGone(leader: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < graceMs; waitedMs += 10) {
    try {
      process.kill(groupOf(leader), 0)
    } catch {
      return true
    }
    await pause(10)
  }
  return false
}

type StartServer = (wrote: (text: string) => void) => Transport

/** Returns a function that starts the server. Closing ends the server and the processes that it started. */
export async function processTransports(options: McpProcessOptions): Promise<StartServer> {
  const { command, args = [], env = {}, cwd, maxMessageBytes = 10_000_000 } = options
  const { getDefaultEnvironment } = await loadStdio()
  const { parseJSONRPCMessage } = await loadClient()
  const place = cwd === undefined ? {} : { cwd }
  const wanted = { command, args, env: { ...getDefaultEnvironment(), ...env }, ...place }
  return (wrote) => new GroupTransport(wanted, parseJSONRPCMessage, maxMessageBytes, wrote)
}
