import type { ElicitRequest, ElicitResult, Progress, Tool as McpTool } from '@modelcontextprotocol/client'
import { isRecord, type Json, type JsonObject, toPlainJson } from '../../../core/domain/text/json.ts'
import type { Redactor } from '../../../core/domain/text/redactor.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { StandardSchema } from '../../../core/ports/schema.ts'
import type { ProbeQuestion, Tool, ToolContext, ToolReturn } from '../../../core/ports/tool.ts'
import { failed } from '../file-failure.ts'
import { foreignSchema } from '../foreign-schema.ts'
import { systemClock } from '../../../core/ports/system-clock.ts'
import { foreignText } from '../foreign-text.ts'
import { redactedTool } from '../redacted-tool.ts'
import { callFailure } from './call-failure.ts'
import type { McpConnection } from './connection.ts'
import { mapResult } from './map-result.ts'
import type { McpOptions } from './mcp-options.ts'
import { type CallOutcome, type CallRequest, type CallStep, type LiveQuestion, OpenCall } from './open-call.ts'
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

function tracedIn({ trace }: ToolContext): Pick<CallRequest, '_meta'> {
  return trace === undefined ? {} : { _meta: { ...trace } }
}

const maxSaid = 2_000

/** The calls of one server's tools, with the server's questions about them. */
export class ServerTools {
  readonly #options: McpOptions
  readonly #secrets: Redactor
  readonly #connection: McpConnection
  readonly #clock: Clock
  /** Calls that are being performed, and those whose question a person has. */
  readonly #open = new Map<string, OpenCall>()
  readonly #held = new Map<string, { readonly call: OpenCall; readonly question: LiveQuestion }>()

  constructor(options: McpOptions, secrets: Redactor, connection: McpConnection) {
    this.#options = options
    this.#secrets = secrets
    this.#connection = connection
    this.#clock = options.clock ?? systemClock
  }

  tool(tool: McpTool, name: string): Tool {
    const { rules = {}, defaults, maxDescriptionLength = 2_000, timeoutMs = 60_000 } = this.#options
    const { title, annotations } = tool
    const { probe, ...own } = { ...defaults, ...(Object.hasOwn(rules, tool.name) ? rules[tool.name] : undefined) }
    const secrets = this.#secrets
    const schema = toPlainJson(tool.inputSchema)
    const made: Tool = {
      effects: 'once',
      timeoutMs,
      ...own,
      name,
      kind: 'mcp',
      sourceName: tool.name,
      label: foreignText(secrets.text(title ?? annotations?.title ?? tool.name), 100),
      description: foreignText(secrets.text(tool.description ?? ''), maxDescriptionLength),
      ...annotationsOf(tool, secrets),
      input: withAnswers(foreignSchema(schema === undefined ? undefined : secrets.json(schema))),
      ...(probe === undefined
        ? {}
        : { probe: (question: ProbeQuestion<JsonObject>) => probe(question, this.#reading(question.signal)) }),
      execute: async (input: JsonObject, context: ToolContext) => await this.#perform(tool, input, context),
    }
    return redactedTool(made, secrets)
  }

  /** A question of a server that says not which call it belongs to: it is that of the only one. */
  async asked(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    const [call, ...others] = this.#open.values()
    if (call === undefined || others.length > 0) return { action: 'cancel' }
    return await call.ask(params, signal)
  }

  close(): void {
    for (const call of this.#open.values()) call.giveUp()
    for (const { call } of this.#held.values()) call.giveUp()
  }

  /** Calls a tool of the server for a probe. A question of the server is no answer. */
  #reading(signal: AbortSignal) {
    return async (name: string, given: JsonObject): Promise<ToolReturn> =>
      await this.#connection.use(signal, async ({ client }) => {
        const outcome = await client.callTool({ name, arguments: given }, { signal })
        return mapResult(outcome, this.#secrets)
      })
  }

  async #perform(tool: McpTool, input: JsonObject, context: ToolContext): Promise<ToolReturn> {
    const { [answersField]: _, ...given } = input
    const question = questionOf(context.suspension)
    if (question === undefined) {
      if (answersField in input) return failed(`"${answersField}" answers a question of the server. Leave it out.`)
      return await this.#send(tool, input, context, { arguments: given })
    }
    const isEdited = Object.keys(given).length > 0
    const payload = context.decision?.input ?? context.decision?.result
    if (isEdited && payload !== undefined && !(answersField in input)) {
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

  async #send(tool: McpTool, input: JsonObject, context: ToolContext, request: CallRequest): Promise<ToolReturn> {
    this.#forget(context)?.call.giveUp()
    const progress = progressTo(context, this.#secrets)
    try {
      return await this.#connection.use(context.signal, async ({ client }) => {
        let sent = request
        for (let round = 1; ; round++) {
          const call = new OpenCall(client, tool, { ...sent, ...tracedIn(context) }, progress)
          const next = await this.#follow(input, call, context)
          const state = round < maxRounds ? stateToReturn(next) : undefined
          if (state === undefined) return this.#conclude(next, questionAbout(tool, input, request), call, context)
          await this.#clock.sleepUntil(this.#clock.now() + pauseMs, context.signal)
          sent = { arguments: request.arguments, requestState: state }
        }
      })
    } catch (error) {
      context.signal.throwIfAborted()
      return callFailure(this.#options, this.#secrets, tool.name, error)
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
    held.call.progress = progressTo(context, this.#secrets)
    held.question.answer(responses['question'] ?? { action: 'cancel' })
    try {
      const next = await this.#follow(input, held.call, context)
      return this.#conclude(next, questionAbout(tool, input, question), held.call, context)
    } catch (error) {
      context.signal.throwIfAborted()
      return callFailure(this.#options, this.#secrets, tool.name, error)
    }
  }

  #forget(context: ToolContext): { readonly call: OpenCall; readonly question: LiveQuestion } | undefined {
    const key = keyOf(context)
    const held = this.#held.get(key)
    this.#held.delete(key)
    return held
  }

  async #follow(input: JsonObject, call: OpenCall, context: ToolContext): Promise<CallStep> {
    const key = keyOf(context)
    const giveUp = () => call.giveUp()
    this.#open.set(key, call)
    context.signal.addEventListener('abort', giveUp, { once: true })
    if (context.signal.aborted) giveUp()
    try {
      return await call.next()
    } finally {
      context.signal.removeEventListener('abort', giveUp)
      this.#open.delete(key)
    }
  }

  #conclude(step: CallStep, about: QuestionHead, call: OpenCall, context: ToolContext): ToolReturn {
    if ('question' in step) {
      this.#held.set(keyOf(context), { call, question: step.question })
      return this.#ask({ ...about, requests: liveRequests(step.question.params), isLive: true }, context)
    }
    const { outcome } = step
    if (!isQuestion(outcome)) return mapResult(outcome, this.#secrets)
    const { inputRequests, requestState } = outcome
    const askable = askableRequests(inputRequests)
    if ('problem' in askable) return failed(`MCP server "${this.#options.name}" gave no result: ${askable.problem}.`)
    const state = requestState === undefined ? {} : { requestState }
    return this.#ask({ ...about, requests: askable.requests, ...state, isLive: false }, context)
  }

  #ask(question: Question, context: ToolContext, problem?: string): ToolReturn {
    const { name, questionTimeoutMs = 600_000 } = this.#options
    if (!question.isLive) return context.suspend(ticketOf(name, question, this.#secrets, problem))
    const expiresAt = this.#clock.now() + questionTimeoutMs
    void this.#giveUpAt(expiresAt, keyOf(context))
    return context.suspend(ticketOf(name, question, this.#secrets, problem, expiresAt))
  }

  /**
   * Nothing reports that a question was denied or has expired, so the connection to the server is released at that
   * time.
   */
  async #giveUpAt(due: number, key: string): Promise<void> {
    const held = this.#held.get(key)
    if (held === undefined || due === Number.POSITIVE_INFINITY) return
    await this.#clock.sleepUntil(due, held.call.over)
    if (this.#held.get(key) !== held) return
    this.#held.delete(key)
    held.call.giveUp()
  }
}

function annotationsOf({ annotations }: McpTool, secrets: Redactor): Pick<Tool, 'annotations'> {
  const said = toPlainJson(annotations)
  const masked = said === undefined ? undefined : secrets.json(said)
  return isRecord(masked) ? { annotations: masked } : {}
}

function keyOf({ runId, callId }: ToolContext): string {
  return `${runId}/${callId}`
}

type QuestionHead = Pick<Question, 'tool' | 'arguments' | 'earlier'>

function questionAbout(
  tool: McpTool,
  input: JsonObject,
  { arguments: given }: Pick<Question, 'arguments'>,
): QuestionHead {
  const earlier = markOf(input)
  return { tool: tool.name, arguments: given, ...(earlier === undefined ? {} : { earlier }) }
}

const maxRounds = 10

const pauseMs = 250

/** A server that neither asks nor returns a result wants to be called again with its state. */
function stateToReturn(step: CallStep): string | undefined {
  if ('question' in step || !isQuestion(step.outcome)) return undefined
  const { inputRequests = {}, requestState } = step.outcome
  return Object.keys(inputRequests).length === 0 ? requestState : undefined
}

function isQuestion(outcome: CallOutcome): outcome is Extract<CallOutcome, { resultType: 'input_required' }> {
  return 'resultType' in outcome && outcome.resultType === 'input_required'
}

function progressTo(context: ToolContext, secrets: Redactor): (progress: Progress) => void {
  return ({ progress, total, message }) => {
    const share = total === undefined ? String(progress) : `${progress} of ${total}`
    context.progress(message === undefined ? share : `${share}: ${foreignText(secrets.text(message), maxSaid)}`)
  }
}

/** The arguments of a resumed call may contain only a person's answers. */
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
