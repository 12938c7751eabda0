import { once } from 'node:events'
import { Writable } from 'node:stream'
import type {
  ClientConnection,
  InitializeResponse,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import { isRecord, type JsonObject } from '../../core/domain/text/json.ts'
import { nextLoopTurn } from '../../core/domain/text/platform.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { type ForeignProcess, ForeignChild } from './foreign-process.ts'
import { type AskedCall, askedCall, askedIn, type CallAnswer, commandOf, servingTools } from './foreign-requests.ts'
import { type Acp, inputFrom, loadAcp } from './load-acp.ts'

/** The result of a turn: the agent asks something, the turn is over, or the process has ended. */
export type TurnState =
  | { readonly asked: AskedCall }
  | { readonly text: string; readonly stopReason: string }
  | { readonly ended: string }

interface OpenRequest {
  readonly asked: AskedCall
  readonly answer: (given: CallAnswer) => void
}

const maxMessageBytes = 33_554_432
const mostText = 1_000_000

/** One process of a foreign agent, with one session. */
export class ForeignSession {
  readonly process: ForeignChild
  readonly #wanted: ForeignProcess
  readonly #open: OpenRequest[] = []
  /** Names of the tools that perform requests; what they do not perform is refused. */
  readonly #tools: ReadonlySet<string>
  /** Answers to requests of a process before. */
  readonly #known = new Map<string, CallAnswer>()
  /** Finished commands, by the id of their terminal. */
  readonly #terminals = new Map<string, CallAnswer>()
  #connection: ClientConnection | undefined
  #changed = Promise.withResolvers<void>()
  #over: TurnState | undefined
  #text = ''
  #heard = ''
  id = ''
  canLoad = false
  /** The cost of the session so far in US dollars, if the agent has reported it. */
  cost: number | undefined

  constructor(wanted: ForeignProcess, tools: ReadonlySet<string>) {
    this.#wanted = wanted
    this.#tools = tools
    this.process = new ForeignChild(wanted, (why) => this.#end({ ended: why }))
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
      async ({ stopReason }) => {
        // Updates that came before the answer are processed after it.
        await nextLoopTurn()
        this.#end({ text: this.#text, stopReason })
      },
      (error: unknown) => {
        // A process that has closed its output is over, and its exit says how.
        if (this.#connection?.signal.aborted === true) this.process.kill()
        else this.#end({ ended: thrownText(error).slice(0, 500) })
      },
    )
  }

  /** Answers an open request. Returns false if it is not open: then the answer is kept until it is made, and given once. */
  answer(id: string, answer: CallAnswer): boolean {
    const at = this.#open.findIndex(({ asked }) => asked.id === id)
    const [found] = at < 0 ? [] : this.#open.splice(at, 1)
    if (found === undefined) this.#known.set(id, answer)
    found?.answer(answer)
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
        if (first !== undefined) return { asked: first.asked }
        await this.#changed.promise
      }
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Ends the process and all that it has started in its group. */
  close(): void {
    this.#connection?.close()
    this.process.kill()
    this.#end({ ended: 'it was closed' })
  }

  get #agent(): ClientConnection['agent'] {
    if (this.#connection === undefined) throw new Error('The foreign agent is not connected.')
    return this.#connection.agent
  }

  /** Speaks to the process first. */
  async connect(): Promise<void> {
    const sdk = await loadAcp()
    const { stdin, stdout } = this.process.child
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
        const { currency, amount } = (update.sessionUpdate === 'usage_update' && update.cost) || {}
        if (currency === 'USD' && Number.isFinite(amount)) this.cost = Math.max(amount ?? 0, this.cost ?? 0)
      })
      .onRequest('fs/read_text_file', async ({ params: { sessionId, path, line, limit } }) => {
        const lines = { ...(line ? { fromLine: line } : {}), ...(limit ? { lines: limit } : {}) }
        const { text = '' } = await this.#performed(sdk, sessionId, servingTools.read, { path, ...lines })
        return { content: text }
      })
      .onRequest('fs/write_text_file', async ({ params: { sessionId, path, content } }) => {
        await this.#performed(sdk, sessionId, servingTools.write, { path, content })
        return {}
      })
      .onRequest('terminal/create', async ({ params }) => {
        const terminalId = `terminal-${this.#terminals.size + 1}`
        // Another command may begin before this one has ended.
        this.#terminals.set(terminalId, { isAllowed: false })
        const ended = await this.#performed(sdk, params.sessionId, servingTools.run, commandOf(params))
        this.#terminals.set(terminalId, ended)
        return { terminalId }
      })
      .onRequest('terminal/output', ({ params: { terminalId } }) => {
        const { text: output = '' } = this.#terminals.get(terminalId) ?? {}
        return { output, truncated: false, exitStatus: this.#exitOf(terminalId) }
      })
      .onRequest('terminal/wait_for_exit', ({ params: { terminalId } }) => this.#exitOf(terminalId))
      .onRequest('terminal/kill', () => ({}))
      .onRequest('terminal/release', ({ params: { terminalId } }) => {
        // The number of terminals names the next one, so that the name stays.
        this.#terminals.set(terminalId, { isAllowed: true })
        return {}
      })
      .connect(sdk.ndJsonStream(Writable.toWeb(stdin), inputFrom(stdout), { maxMessageBytes }))
    const has = (tool: 'read' | 'write' | 'run') => this.#tools.has(servingTools[tool])
    const clientCapabilities = {
      fs: { readTextFile: has('read'), writeTextFile: has('write') },
      terminal: has('run'),
    }
    const ended = once(this.process.child, 'exit').then(([code]) => {
      throw new Error(`The command "${this.#wanted.command}" ended with ${String(code)} before it answered.`)
    })
    const offer = { protocolVersion: sdk.PROTOCOL_VERSION, clientCapabilities }
    const about = this.#agent.request<InitializeResponse>('initialize', offer)
    const { agentCapabilities } = await Promise.race([about, ended])
    ended.catch(() => undefined)
    this.canLoad = agentCapabilities?.loadSession === true
  }

  async #ask({ sessionId, toolCall, options }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { isAllowed } = await this.#answered(sessionId, askedIn(toolCall))
    // Never an answer for more calls than this one: rules and grants of the family decide about the next.
    const chosen = options.find(({ kind }) => kind === (isAllowed ? 'allow_once' : 'reject_once'))
    return { outcome: chosen ? { outcome: 'selected', optionId: chosen.optionId } : { outcome: 'cancelled' } }
  }

  /** Resolves with the result of a call that performs a request; rejects with the error for the agent. */
  async #performed(sdk: Acp, sessionId: string, tool: string, given: JsonObject): Promise<CallAnswer> {
    if (!this.#tools.has(tool)) throw sdk.RequestError.methodNotFound(`${tool} is not offered`)
    const answer = await this.#answered(sessionId, askedCall(tool, given))
    if (answer.isAllowed) return answer
    throw sdk.RequestError.internalError(undefined, answer.text ?? 'The request was refused.')
  }

  #answered(sessionId: string, asked: AskedCall): Promise<CallAnswer> {
    const { promise, resolve: answer } = Promise.withResolvers<CallAnswer>()
    const known = this.#known.get(asked.id)
    if (sessionId !== this.id) answer({ isAllowed: false })
    else if (known === undefined) this.#open.push({ asked, answer })
    else {
      this.#known.delete(asked.id)
      answer(known)
    }
    this.#changed.resolve()
    return promise
  }

  #exitOf(terminalId: string) {
    const { exitCode = null, signal = null } = this.#terminals.get(terminalId) ?? {}
    return { exitCode, signal }
  }

  #end(state: TurnState): void {
    this.#over ??= state
    this.#changed.resolve()
  }
}
