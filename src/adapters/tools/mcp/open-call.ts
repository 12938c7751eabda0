import { longestTimerMs } from '../../../core/domain/timer.ts'
import type {
  CallToolResult,
  Client,
  ElicitRequest,
  ElicitResult,
  InputRequiredResult,
  Progress,
  Tool as McpTool,
} from '@modelcontextprotocol/client'
import type { JsonObject } from '../../../core/domain/text/json.ts'

/** The outcome of a call: a result, or a question that must be answered first. */
export type CallOutcome = CallToolResult | InputRequiredResult

/** The parameters of a call. */
export interface CallRequest {
  readonly arguments: JsonObject
  readonly inputResponses?: object
  readonly requestState?: string
  /** The position in a trace, by the names of W3C's headers. */
  readonly _meta?: Readonly<Record<string, string>>
}

/** The next step of a call. */
export type CallStep = { readonly outcome: CallOutcome } | { readonly question: LiveQuestion }

/** A server's question that keeps its call open until it is answered. */
export interface LiveQuestion {
  readonly params: ElicitRequest['params']
  answer(result: ElicitResult): void
}

/** A request to a server, until it is answered or abandoned. */
export class OpenCall {
  readonly #outcome: Promise<CallOutcome>
  readonly #giveUp = new AbortController()
  readonly #ending = new AbortController()
  #asked = Promise.withResolvers<LiveQuestion>()
  progress: (progress: Progress) => void

  constructor(client: Client, tool: McpTool, given: CallRequest, progress: (progress: Progress) => void) {
    this.progress = progress
    const { outputSchema: _, ...definition } = tool
    const params = { name: tool.name, ...given }
    this.#outcome = client.callTool(params, {
      toolDefinition: definition,
      allowInputRequired: true,
      signal: this.#giveUp.signal,
      // Time limits are the engine's: it gives the call up.
      timeout: longestTimerMs,
      onprogress: (told) => this.progress(told),
    })
    const end = () => this.#ending.abort()
    this.#outcome.then(end, end)
  }

  /** Fires when the server has answered, or when the answer is no longer needed. */
  get over(): AbortSignal {
    return this.#ending.signal
  }

  async next(): Promise<CallStep> {
    return await Promise.race([
      this.#outcome.then((outcome) => ({ outcome })),
      this.#asked.promise.then((question) => ({ question })),
    ])
  }

  /**
   * Answers a server's question during the call; resolves with the answer, or with `cancel` if the call is abandoned.
   */
  async ask(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    if (signal.aborted || this.#giveUp.signal.aborted) return { action: 'cancel' }
    const { promise, resolve } = Promise.withResolvers<ElicitResult>()
    const cancel = () => resolve({ action: 'cancel' })
    for (const each of [signal, this.#giveUp.signal]) each.addEventListener('abort', cancel, { once: true })
    this.#asked.resolve({
      params,
      answer: (result) => {
        this.#asked = Promise.withResolvers()
        resolve(result)
      },
    })
    return await promise
  }

  giveUp(): void {
    this.#giveUp.abort()
  }
}
