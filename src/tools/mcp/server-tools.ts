import type { ElicitRequest, ElicitResult, Progress, Tool as McpTool } from '@modelcontextprotocol/client'
import { isRecord, type Json, type JsonObject } from '../../domain/json.ts'
import { thrownText } from '../../domain/thrown-text.ts'
import { toolNameOf } from '../../domain/tool-name.ts'
import type { StandardSchema } from '../../ports/schema.ts'
import type { Tool, ToolContext, ToolResult, ToolReturn } from '../../ports/tool.ts'
import { foreignSchema } from '../foreign-schema.ts'
import { processClock } from '../process-clock.ts'
import { foreignText } from '../foreign-text.ts'
import type { McpConnection } from './connection.ts'
import { streamEnded } from './http-transport.ts'
import { mapResult } from './map-result.ts'
import { type McpOptions, placeOf, withoutSecrets } from './mcp-options.ts'
import { type CallOutcome, type LiveQuestion, OpenCall } from './open-call.ts'
import type { Link } from './open-link.ts'
import {
  answersField,
  answersIn,
  askableRequests,
  liveRequests,
  markOf,
  type Question,
  questionOf,
  ticketOf,
} from './question.ts'

/** Characters of what a server says of an error or of its progress. */
const maxSaid = 2_000

/** The calls of one server's tools, and the questions that come with them. */
export class ServerTools {
  readonly #options: McpOptions
  readonly #connection: McpConnection
  /** Calls that are being performed, and those whose question a person has. */
  readonly #open = new Map<string, OpenCall>()
  readonly #held = new Map<string, { readonly call: OpenCall; readonly question: LiveQuestion }>()

  constructor(options: McpOptions, connection: McpConnection) {
    this.#options = options
    this.#connection = connection
  }

  /** A tool of the server as the engine takes it. */
  tool(tool: McpTool): Tool {
    const { prefix, rules = {}, defaults, maxDescriptionLength = 2_000, timeoutMs = 60_000 } = this.#options
    const { title, annotations } = tool
    const own = Object.hasOwn(rules, tool.name) ? rules[tool.name] : undefined
    return {
      effects: 'once',
      timeoutMs,
      ...defaults,
      ...own,
      name: toolNameOf(tool.name, prefix),
      sourceName: tool.name,
      label: foreignText(title ?? annotations?.title ?? tool.name, 100),
      description: foreignText(tool.description ?? '', maxDescriptionLength),
      input: withAnswers(foreignSchema(tool.inputSchema)),
      execute: async (input: JsonObject, context: ToolContext) => await this.#perform(tool, input, context),
    }
  }

  /** A question of a server that says not which call it belongs to: it is that of the only one. */
  async asked(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    const [call, ...others] = this.#open.values()
    if (call === undefined || others.length > 0) return { action: 'cancel' }
    return await call.ask(params, signal)
  }

  /** Gives up every call. */
  close(): void {
    for (const call of this.#open.values()) call.giveUp()
    for (const { call } of this.#held.values()) call.giveUp()
  }

  async #perform(tool: McpTool, input: JsonObject, context: ToolContext): Promise<ToolReturn> {
    const { [answersField]: _, ...given } = input
    const question = questionOf(context.suspension)
    if (question === undefined) {
      if (answersField in input) return failed(`"${answersField}" answers a question of the server. Leave it out.`)
      return await this.#send(tool, input, context, { arguments: given })
    }
    const isEdited = Object.keys(given).length > 0
    if (isEdited && context.decision?.input !== undefined && !(answersField in input)) {
      return await this.#send(tool, input, context, { arguments: given })
    }
    const answers = await answersIn(question, input)
    if ('problem' in answers) return this.#ask(question, context, answers.problem)
    if (question.isLive) return await this.#goOn(tool, input, context, question, answers.responses)
    return await this.#send(tool, input, context, {
      arguments: isEdited ? given : question.arguments,
      inputResponses: answers.responses,
      ...(question.requestState === undefined ? {} : { requestState: question.requestState }),
    })
  }

  /** A connection that was lost unnoticed has taken nothing in: it is made again once. */
  async #send(
    tool: McpTool,
    input: JsonObject,
    context: ToolContext,
    request: { readonly arguments: JsonObject; readonly inputResponses?: object; readonly requestState?: string },
  ): Promise<ToolReturn> {
    this.#forget(context)?.call.giveUp()
    for (let attempt = 1; ; attempt++) {
      let link: Link | undefined
      try {
        link = await this.#connection.link(context.signal)
        const call = new OpenCall(link.client, tool, request, progressTo(context))
        return await this.#follow(tool, input, request.arguments, call, context)
      } catch (error) {
        if (link === undefined || attempt > 1 || !wasNotTaken(error)) return this.#failure(tool, error, context)
        await this.#connection.drop(link)
      }
    }
  }

  /** The server has held the call open; without it, its question is gone. */
  async #goOn(
    tool: McpTool,
    input: JsonObject,
    context: ToolContext,
    question: Question,
    responses: Readonly<Record<string, ElicitResult>>,
  ): Promise<ToolReturn> {
    const held = this.#forget(context)
    if (held === undefined) {
      return failed(
        `The question of MCP server "${this.#options.name}" is gone: the call it belonged to ended with its process or its connection, and may have had an effect. Call the tool again if that is safe.`,
      )
    }
    held.call.progress = progressTo(context)
    held.question.answer(responses['question'] ?? { action: 'cancel' })
    try {
      return await this.#follow(tool, input, question.arguments, held.call, context)
    } catch (error) {
      return this.#failure(tool, error, context)
    }
  }

  #forget(context: ToolContext): { readonly call: OpenCall; readonly question: LiveQuestion } | undefined {
    const key = keyOf(context)
    const held = this.#held.get(key)
    this.#held.delete(key)
    return held
  }

  /** Waits for what the call comes to, and gives it up with its performance. */
  async #follow(
    tool: McpTool,
    input: JsonObject,
    given: JsonObject,
    call: OpenCall,
    context: ToolContext,
  ): Promise<ToolReturn> {
    const key = keyOf(context)
    const giveUp = () => call.giveUp()
    this.#open.set(key, call)
    context.signal.addEventListener('abort', giveUp, { once: true })
    if (context.signal.aborted) giveUp()
    try {
      const next = await call.next()
      const asked = { tool: tool.name, arguments: given, ...earlierIn(input) }
      if ('outcome' in next) return this.#conclude(next.outcome, asked, context)
      this.#held.set(key, { call, question: next.question })
      return this.#ask({ ...asked, requests: liveRequests(next.question.params), isLive: true }, context)
    } finally {
      context.signal.removeEventListener('abort', giveUp)
      this.#open.delete(key)
    }
  }

  #conclude(
    outcome: CallOutcome,
    asked: Pick<Question, 'tool' | 'arguments' | 'earlier'>,
    context: ToolContext,
  ): ToolReturn {
    if (!isQuestion(outcome)) return mapResult(outcome)
    const { inputRequests, requestState } = outcome
    const askable = askableRequests(inputRequests)
    if ('problem' in askable) return failed(`MCP server "${this.#options.name}" gave no result: ${askable.problem}.`)
    const state = requestState === undefined ? {} : { requestState }
    return this.#ask({ ...asked, requests: askable.requests, ...state, isLive: false }, context)
  }

  #ask(question: Question, context: ToolContext, problem?: string): ToolReturn {
    const { name, questionTimeoutMs = 600_000, clock = processClock } = this.#options
    if (!question.isLive) return context.suspend(ticketOf(name, question, problem))
    const expiresAt = clock.now() + questionTimeoutMs
    void this.#giveUpAt(expiresAt, keyOf(context))
    return context.suspend(ticketOf(name, question, problem, expiresAt))
  }

  /** Nobody tells of a question that was denied or has expired: the server is let go of then. */
  async #giveUpAt(due: number, key: string): Promise<void> {
    const held = this.#held.get(key)
    if (held === undefined || due === Number.POSITIVE_INFINITY) return
    const { clock = processClock } = this.#options
    await clock.sleepUntil(due, held.call.over)
    if (this.#held.get(key) !== held) return
    this.#held.delete(key)
    held.call.giveUp()
  }

  #failure(tool: McpTool, error: unknown, { signal }: ToolContext): ToolResult {
    signal.throwIfAborted()
    const what = foreignText(withoutSecrets(this.#options, thrownText(error)), maxSaid)
    const place = placeOf(this.#options)
    if (codeOf(error) === 'CONNECTION_CLOSED' || codeOf(error) === streamEnded) {
      return failed(
        `${place} closed the connection during "${tool.name}". The call may or may not have had its effect.`,
      )
    }
    return failed(`${place} gave "${tool.name}" no result: ${what}`)
  }
}

function keyOf({ runId, callId }: ToolContext): string {
  return `${runId}/${callId}`
}

function earlierIn(input: JsonObject): { readonly earlier?: string } {
  const mark = markOf(input)
  return mark === undefined ? {} : { earlier: mark }
}

function isQuestion(outcome: CallOutcome): outcome is Extract<CallOutcome, { resultType: 'input_required' }> {
  return 'resultType' in outcome && outcome.resultType === 'input_required'
}

/** The server cannot have seen the request: there was no connection, or none of the session it was sent in. */
function wasNotTaken(error: unknown): boolean {
  return codeOf(error) === 'NOT_CONNECTED' || (error instanceof Error && 'status' in error && error.status === 404)
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function progressTo(context: ToolContext): (progress: Progress) => void {
  return ({ progress, total, message }) => {
    const share = total === undefined ? String(progress) : `${progress} of ${total}`
    context.progress(message === undefined ? share : `${share}: ${foreignText(message, maxSaid)}`)
  }
}

function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], status: 'error' }
}

/** The arguments of a call that goes on may hold a person's answers, and nothing else beside them. */
function withAnswers(schema: StandardSchema): StandardSchema {
  const { validate, ...rest } = schema['~standard']
  return {
    '~standard': {
      ...rest,
      validate: async (value) => {
        if (!isRecord(value) || !(answersField in value)) return await validate(value)
        const { [answersField]: answers, ...given } = value
        if (Object.keys(given).length === 0) return { value }
        const checked = await validate(given)
        return checked.issues === undefined ? { value: { ...given, [answersField]: answers as Json } } : checked
      },
    },
  }
}
