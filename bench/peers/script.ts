import { argumentText, resultText, userText } from '../texts.ts'

/** What a run plays; it is told to the model in the first message, so that one agent serves every plan. */
export interface Plan {
  readonly turns: number
  /** Calls a turn. */
  readonly calls: number
  /** The tool that is called: `sign` needs an approval. Default `echo`. */
  readonly tool?: 'echo' | 'sign'
  /** Messages the user gives. Default 1. */
  readonly users?: number
  /** Deltas of the last answer. Default 1. */
  readonly deltas?: number
}

/** One call of an answer. */
export interface ScriptCall {
  readonly id: string
  readonly name: string
  readonly arguments: { readonly text: string }
}

/** Hears when the model is asked for the first answer of a run. */
export const listener = { firstAsked: () => {} }

/** What the user says. */
export function promptOf(plan: Plan): readonly string[] {
  const more = Array.from({ length: (plan.users ?? 1) - 1 }, () => userText)
  return [JSON.stringify(plan), ...more]
}

/** The plan in the first message of a prompt. */
export function planIn(first: string): Plan {
  return JSON.parse(first) as Plan
}

/** The calls of the answer to a prompt of so many messages; `itemsOf` says how many of them a turn comes to. */
export function callsAfter(plan: Plan, messages: number, itemsOf: (calls: number) => number): readonly ScriptCall[] {
  const turn = (messages - (plan.users ?? 1)) / itemsOf(plan.calls)
  if (turn === 0) listener.firstAsked()
  if (turn >= plan.turns) return []
  return Array.from({ length: plan.calls }, (_, index) => ({
    id: `c${turn}.${index}`,
    name: plan.tool ?? 'echo',
    arguments: { text: argumentText(turn, index) },
  }))
}

/** Counts the calls of `echo`, for whoever makes sure that a plan was played. */
export const made = { calls: 0 }

/** What the tool `echo` does, whichever framework it is given to. */
export function echoText(): string {
  made.calls++
  return resultText
}
