import { scripted, type ScriptedAnswer } from '../../adapters/providers/scripted.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import { type Model, type ModelRequest, textOf } from '../../index.ts'
import { type ModelMessage, toolCallsOf } from '../../ports.ts'
import { type CallAnswer, kinds, servingTools } from './foreign-requests.ts'
import type { TurnState } from './foreign-session.ts'

/** The arguments of a step of the work. */
export interface Work extends Partial<CallAnswer> {
  readonly prompt: string
  readonly sessionId?: string
  /** The request that is answered. */
  readonly answers?: string
  /** The reason why the previous step ended; the work continues after an approval. */
  readonly ended?: string
}

const unpaid = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** Returns the next answer. The answer after a step has the cost that the foreign agent has reported since. */
export const foreignModel: Model = {
  ...scripted(nextStep, { id: 'acp' }),
  prices: unpaid,
  statesCost: true,
  async *stream(request) {
    for await (const event of scripted(nextStep, { id: 'acp' }).stream(request)) {
      yield event.type === 'finished' ? { ...event, message: { ...event.message, cost: newCost(request) } } : event
    }
  },
}

function newCost({ messages }: ModelRequest): number {
  const told = messages.flatMap((message) =>
    message.role === 'toolResult' && message.toolName === 'work' ? (stateIn(textOf(message)) ?? []) : [],
  )
  const last = told.at(-1)
  // Each session counts its own costs.
  const before = told.slice(0, -1).flatMap(({ sessionId, cost = 0 }) => (sessionId === last?.sessionId ? [cost] : []))
  const isNew = messages.findLast(({ role }) => role === 'toolResult' || role === 'user')
  if (isNew?.role !== 'toolResult' || isNew.toolName !== 'work') return 0
  return Math.max(0, (last?.cost ?? 0) - Math.max(0, ...before))
}

/** Decides from the transcript only what comes next: a step of the work, a permission, or the answer. */
function nextStep({ messages }: ModelRequest): ScriptedAnswer {
  const last = messages.findLast((message) => message.role === 'toolResult')
  const result = messages.findLast((message) => message.role === 'toolResult' && message.toolName === 'work')
  const state = result === undefined ? undefined : stateIn(textOf(result))
  const prompted = messages.findLastIndex(
    (message) => message.role === 'assistant' && toolCallsOf(message).some(isPrompt),
  )
  const unsaid = messages.slice(prompted + 1).filter(({ role }) => role === 'user')
  const promptOf = (said: readonly (typeof messages)[number][]) => said.map((message) => textOf(message)).join('\n')
  const work = (given: object): ScriptedAnswer => ({ toolCalls: [{ name: 'work', arguments: { ...given } }] })
  if (last === undefined || state === undefined) {
    if (last !== undefined) throw new Error(textOf(last))
    return work({ prompt: promptOf(unsaid) } satisfies Work)
  }
  const { sessionId } = state
  if ('ended' in state) {
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []))
    const given = calls.findLast(({ name }) => name === 'work')?.arguments
    return work({ ...(isRecord(given) ? given : {}), sessionId, ended: state.ended })
  }
  if ('asked' in state) {
    const { tool, id: answers, arguments: given } = state.asked
    if (last === result) return { toolCalls: [{ name: tool, arguments: given }] }
    const prompt = promptOf(
      messages
        .slice(0, prompted)
        .filter(({ role }) => role === 'user')
        .slice(-1),
    )
    return work({ prompt, sessionId, answers, ...answerIn(last) } satisfies Work)
  }
  if (unsaid.length > 0) return work({ prompt: promptOf(unsaid), sessionId } satisfies Work)
  if (state.stopReason !== 'end_turn') throw new Error(`The foreign agent has stopped: ${state.stopReason}.`)
  return { text: state.text === '' ? 'Done.' : state.text }
}

/** The maximum characters of a result for the foreign agent. */
const mostText = 400_000

/** Returns the answer to a request by the result of its call: a permission, the text of a file, or the end of a command. */
function answerIn(result: ModelMessage): CallAnswer {
  if (result.role !== 'toolResult') return { isAllowed: false }
  const { toolName, isError } = result
  const isPermission = kinds.includes(toolName)
  if (isPermission) return { isAllowed: !isError }
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const whole = toolName === servingTools.read && !isError ? texts.slice(0, 1).join('') : texts.join('\n')
  const told = whole === '[The file is empty.]' ? '' : whole.slice(0, mostText)
  if (toolName !== servingTools.run) {
    if (whole.length <= mostText) return { isAllowed: !isError, text: told }
    return { isAllowed: false, text: `The file is too large: at most ${mostText} characters are read. Ask for lines.` }
  }
  const noted = (note: RegExp) => texts.map((line) => note.exec(line)?.[1]).findLast((found) => found !== undefined)
  const signal = noted(/^\[Ended by (\w+)\.\]$/)
  if (signal !== undefined) return { isAllowed: !isError, text: told, signal }
  const code = noted(/^\[Exit code (\d+)\.\]$/)
  return { isAllowed: !isError, text: told, ...(isError ? {} : { exitCode: Number(code ?? 0) }) }
}

/** Returns true for a step that begins a turn, and false for the answer to a permission and for continued work. */
function isPrompt({ name, arguments: given }: { readonly name: string; readonly arguments: unknown }): boolean {
  return name === 'work' && isRecord(given) && !('answers' in given) && !('ended' in given)
}

type Result = { readonly sessionId: string; readonly cost?: number } & TurnState

/** Reads the result of a step; undefined for a failed one. */
function stateIn(json: string): Result | undefined {
  try {
    const read: unknown = JSON.parse(json)
    return isRecord(read) && typeof read['sessionId'] === 'string' ? (read as unknown as Result) : undefined
  } catch {
    return undefined
  }
}
