import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import type {
  ClientConnection,
  InitializeResponse,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import { canonicalJson, hashText, isRecord, type Json, toPlainJson } from '../../core/domain/text/json.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { loadAcp } from './load-acp.ts'

/** The command that starts a foreign agent. */
export interface ForeignProcess {
  readonly command: string
  readonly args?: readonly string[]
  /** Variables beside PATH, HOME, LANG, TERM and TZ; nothing else of this process is passed on. */
  readonly env?: Readonly<Record<string, string>>
  /** The folder that the agent works in, an absolute path. */
  readonly cwd: string
  /** A mode of the agent that asks before it acts. Default: the one that it begins with. */
  readonly mode?: string
}

/** A permission that the agent asks for: the tool and the arguments of the call that stands for it. */
export interface AskedPermission {
  readonly id: string
  readonly kind: string
  readonly arguments: { readonly [field: string]: Json }
}

/** The result of a turn: a permission is asked for, the turn is over, or the process has ended. */
export type TurnState =
  | { readonly permission: AskedPermission }
  | { readonly text: string; readonly stopReason: string }
  | { readonly ended: string }

interface OpenRequest {
  readonly asked: AskedPermission
  readonly answer: (isAllowed: boolean) => void
}

const passed = ['PATH', 'HOME', 'LANG', 'TERM', 'TZ']
const maxMessageBytes = 33_554_432
const mostText = 1_000_000

/** One process of a foreign agent, with one session. Its requests for files and terminals are refused. */
export class ForeignSession {
  readonly #child: ChildProcess
  readonly #wanted: ForeignProcess
  readonly #open: OpenRequest[] = []
  /** Answers to permissions that a process before has asked for. */
  readonly #known = new Map<string, boolean>()
  #connection: ClientConnection | undefined
  #changed = Promise.withResolvers<void>()
  #over: TurnState | undefined
  #text = ''
  #heard = ''
  id = ''
  canLoad = false

  private constructor(wanted: ForeignProcess) {
    this.#wanted = wanted
    const { command, args = [], env = {}, cwd } = wanted
    const own = Object.fromEntries(passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
    const stdio: ['pipe', 'pipe', 'ignore'] = ['pipe', 'pipe', 'ignore']
    this.#child = spawn(command, [...args], { cwd, env: { ...own, ...env }, stdio, detached: true })
    const end = (why: string) => this.#end({ ended: why })
    this.#child.once('error', (error) => end(`it could not be started: ${error.message}`))
    this.#child.once('exit', (code, signal) => end(`it ended with ${code ?? signal}`))
  }

  static async start(wanted: ForeignProcess): Promise<ForeignSession> {
    const session = new ForeignSession(wanted)
    try {
      await session.#connect()
      return session
    } catch (error) {
      session.close()
      throw error
    }
  }

  /** Begins a session, and returns its id. */
  async begin(): Promise<string> {
    const { cwd, mode } = this.#wanted
    const { sessionId } = await this.#agent.request('session/new', { cwd, mcpServers: [] })
    this.id = sessionId
    if (mode !== undefined) await this.#agent.request('session/set_mode', { sessionId, modeId: mode })
    return sessionId
  }

  /** Loads a session of a process before. */
  async load(sessionId: string): Promise<void> {
    this.id = sessionId
    await this.#agent.request('session/load', { sessionId, cwd: this.#wanted.cwd, mcpServers: [] })
    this.#text = ''
  }

  /** Returns true if the loaded session has a prompt. */
  hasHeard(prompt: string): boolean {
    return this.#heard.includes(prompt)
  }

  prompt(text: string): void {
    const prompt = [{ type: 'text' as const, text }]
    void this.#agent.request<PromptResponse>('session/prompt', { sessionId: this.id, prompt }).then(
      ({ stopReason }) => this.#end({ text: this.#text, stopReason }),
      (error: unknown) => {
        // A process that has closed its output is over, and its exit says how.
        if (this.#connection?.signal.aborted === true) this.#kill()
        else this.#end({ ended: thrownText(error).slice(0, 500) })
      },
    )
  }

  /** Keeps the answer to a permission that will be asked for again. It is given once. */
  expect(permission: string, isAllowed: boolean): void {
    this.#known.set(permission, isAllowed)
  }

  /** Answers a permission that is asked for. Returns false if it is not. */
  answer(permission: string, isAllowed: boolean): boolean {
    const at = this.#open.findIndex(({ asked }) => asked.id === permission)
    const [found] = at < 0 ? [] : this.#open.splice(at, 1)
    found?.answer(isAllowed)
    return found !== undefined
  }

  /** Resolves when the agent asks, its turn is over, or it has ended. */
  async next(signal: AbortSignal): Promise<TurnState> {
    const leave = () => this.close()
    signal.addEventListener('abort', leave, { once: true })
    try {
      for (;;) {
        this.#changed = Promise.withResolvers<void>()
        signal.throwIfAborted()
        const [first] = this.#open
        if (this.#over !== undefined) return this.#over
        if (first !== undefined) return { permission: first.asked }
        await this.#changed.promise
      }
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Ends the process and all that it has started in its group. */
  close(): void {
    this.#connection?.close()
    this.#kill()
    this.#end({ ended: 'it was closed' })
  }

  #kill(): void {
    const { pid } = this.#child
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }

  get #agent(): ClientConnection['agent'] {
    if (this.#connection === undefined) throw new Error('The foreign agent is not connected.')
    return this.#connection.agent
  }

  async #connect(): Promise<void> {
    const sdk = await loadAcp()
    const { stdin, stdout } = this.#child
    if (stdin === null || stdout === null) throw new Error('The foreign agent has no standard input and output.')
    stdin.on('error', () => undefined)
    this.#connection = sdk
      .client({ name: 'statewright' })
      .onRequest('session/request_permission', ({ params }) => this.#ask(params))
      .onNotification('session/update', ({ params: { update } }) => {
        const content: unknown = 'content' in update ? update.content : undefined
        const text = isRecord(content) && typeof content['text'] === 'string' ? content['text'] : ''
        if (update.sessionUpdate === 'agent_message_chunk') this.#text = (this.#text + text).slice(-mostText)
        if (update.sessionUpdate === 'user_message_chunk') this.#heard = (this.#heard + text).slice(-mostText)
      })
      .connect(
        sdk.ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout) as ReadableStream<Uint8Array>, {
          maxMessageBytes,
        }),
      )
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
    const ended = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`The command "${this.#wanted.command}" ended with ${String(code)} before it answered.`)
    })
    const about = this.#agent.request<InitializeResponse>('initialize', {
      protocolVersion: sdk.PROTOCOL_VERSION,
      clientCapabilities,
    })
    const { agentCapabilities } = await Promise.race([about, ended])
    ended.catch(() => undefined)
    this.canLoad = agentCapabilities?.loadSession === true
  }

  #ask({ sessionId, toolCall, options }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { promise, resolve } = Promise.withResolvers<RequestPermissionResponse>()
    const answer = (isAllowed: boolean) => {
      // Never an answer for more than this one call: rules and grants of the family decide about the next.
      const chosen = options.find(({ kind }) => kind === (isAllowed ? 'allow_once' : 'reject_once'))
      resolve({ outcome: chosen ? { outcome: 'selected', optionId: chosen.optionId } : { outcome: 'cancelled' } })
    }
    const asked = askedIn(toolCall)
    const known = this.#known.get(asked.id)
    if (sessionId !== this.id) answer(false)
    else if (known === undefined) this.#open.push({ asked, answer })
    else {
      this.#known.delete(asked.id)
      answer(known)
    }
    this.#changed.resolve()
    return promise
  }

  #end(state: TurnState): void {
    this.#over ??= state
    this.#changed.resolve()
  }
}

/** The call that stands for a permission. Its id is the same when the agent asks for the same again. */
function askedIn({ kind, title, rawInput, locations }: RequestPermissionRequest['toolCall']): AskedPermission {
  const input = toPlainJson(rawInput) ?? null
  const command = isRecord(input) && typeof input['command'] === 'string' ? { command: input['command'] } : {}
  const path = locations?.[0]?.path
  const given = { title: title ?? '', ...command, ...(path === undefined ? {} : { path }), input }
  return { id: hashText(canonicalJson([kind ?? 'other', given])), kind: kind ?? 'other', arguments: given }
}
