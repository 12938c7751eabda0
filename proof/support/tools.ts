import type { Json } from '../../src/core/domain/text/json.ts'
import type { Tool, ToolContext, ToolReturn } from '../../src/core/ports/tool.ts'
import type { SuspensionTicket } from '../../src/core/domain/suspension.ts'

type Extras = Partial<Omit<Tool, 'name' | 'execute'>>
type Body = (input: Json, context: ToolContext) => ToolReturn | Promise<ToolReturn>

/** A tool that takes any object. */
export function toolNamed(name: string, execute: Body, extras: Extras = {}): Tool {
  const input = { type: 'object' }
  return { name, description: `Test tool ${name}`, input, ...extras, execute }
}

/** Tools that write down what they do. */
export interface Toolbox {
  /** The executed calls, in order, e.g. `act {"n":1}`. */
  readonly done: string[]
  /** Answers `<name> done`. */
  act(name?: string, extras?: Extras): Tool
  /** Fails with `boom`. */
  fail(name?: string): Tool
  /** Asks for a person on its first performance; afterwards answers with what it was told. */
  ask(name?: string, ticket?: SuspensionTicket, extras?: Extras): Tool
  /** Suspends at each of its first `times` performances. */
  askAgain(name: string, times: number, extras?: Extras): Tool
}

/** A box whose tools share one list. */
export function toolbox(): Toolbox {
  const done: string[] = []
  const log = (name: string, input: Json) => void done.push(`${name} ${JSON.stringify(input)}`)
  return {
    done,
    act: (name = 'act', extras = {}) =>
      toolNamed(
        name,
        (input) => {
          log(name, input)
          return `${name} done`
        },
        extras,
      ),
    fail: (name = 'fail') =>
      toolNamed(name, (input) => {
        log(name, input)
        throw new Error('boom')
      }),
    ask: (name = 'ask', ticket = {}, extras = {}) =>
      toolNamed(
        name,
        (input, { decision, suspend }) => {
          log(name, input)
          return decision === undefined ? suspend(ticket) : `${name} heard ${decision.action}`
        },
        extras,
      ),
    askAgain: (name, times, extras = {}) =>
      toolNamed(
        name,
        (input, { attempt, suspend }) => {
          log(name, input)
          return attempt <= times ? suspend({ message: `question ${attempt}` }) : `${name} heard enough`
        },
        extras,
      ),
  }
}

/** A tool whose performances a test begins and ends by hand. */
export interface HeldTool {
  readonly tool: Tool
  /** Calls that have begun, in order. */
  readonly begun: string[]
  /** Resolves with what a tool is given, once the call's performance has begun. */
  begins(callId: string): Promise<ToolContext>
  /** Ends the call's latest performance. */
  finish(callId: string, result?: ToolReturn): void
}

/** A tool that runs until a test finishes it, and never looks at its signal. */
export function heldTool(name = 'held', extras: Extras = {}): HeldTool {
  const begun: string[] = []
  const running = new Map<
    string,
    { begins: PromiseWithResolvers<ToolContext>; ends: PromiseWithResolvers<ToolReturn> }
  >()
  const slot = (callId: string) => {
    const known = running.get(callId) ?? { begins: Promise.withResolvers(), ends: Promise.withResolvers() }
    running.set(callId, known)
    return known
  }
  return {
    begun,
    tool: toolNamed(
      name,
      (_, context) => {
        begun.push(context.callId)
        const { begins, ends } = slot(context.callId)
        begins.resolve(context)
        return ends.promise
      },
      extras,
    ),
    begins: (callId) => slot(callId).begins.promise,
    finish: (callId, result = `${name} done`) => {
      const { ends } = slot(callId)
      running.delete(callId)
      ends.resolve(result)
    },
  }
}
