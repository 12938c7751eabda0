import { type Json, parseAnswer } from '../index.ts'
import { CliError, misuse } from './cli-error.ts'
import type { CliIo } from './cli-io.ts'
import { pageText } from './page-text.ts'
import type { Person } from './person.ts'
import { oneLine } from './safe-text.ts'
import type { SuspendedCall } from './suspended-calls.ts'

const expectedAnswers = 'yes, ok, approve, true or {"approved":true}; no, deny, cancel, false or {"approved":false}'

/** What a person said to a suspended call. */
export type Answer =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly reason?: string }
  | { readonly kind: 'respond'; readonly value: Json }

/** Asks until an answer is understood, and pages all of the call where `v` is typed; undefined where the person leaves the call for later. */
export async function askAnswer(
  call: SuspendedCall,
  person: Person,
  io: CliIo,
  whole: () => string,
): Promise<Answer | undefined> {
  const asksForValue = call.reason === 'input' || call.reason === 'service'
  for (;;) {
    const typed = await person.ask(asksForValue ? 'Value: ' : question(call))
    if (typed === undefined) return undefined
    if (!asksForValue && typed.trim().toLowerCase() === 'v') {
      await pageText(whole(), person, io)
      continue
    }
    const answer = asksForValue ? valueAnswer(typed, call) : wordAnswer(typed)
    if (typeof answer !== 'string') return answer
    io.stdout.write(`${answer}\n`)
  }
}

function question({ mayHaveRun, reason }: SuspendedCall): string {
  if (reason === 'model_unavailable') return 'Ask the model again? [y/n] '
  return mayHaveRun ? 'It may have run already. Run it again? [y/n] ' : 'Approve? [y/n] '
}

/** The answer, or what was expected. */
function wordAnswer(typed: string): Answer | string {
  const answer = parseAnswer(typed.trimStart().startsWith('{') ? jsonOf(typed) : typed)
  if (answer === undefined) return `Not understood. Expected: ${expectedAnswers}. Ctrl-C leaves it for later.`
  if (answer.action === 'resume') return { kind: 'approve' }
  return { kind: 'deny', ...(answer.reason === undefined ? {} : { reason: answer.reason }) }
}

function valueAnswer(typed: string, call: SuspendedCall): Answer | string {
  try {
    return { kind: 'respond', value: readValue(typed, call) }
  } catch (error) {
    if (error instanceof CliError) return error.message
    throw error
  }
}

/** JSON given on the command line; refused with an example where it is none. */
export function readJson(text: string, what: string): Json {
  const value = jsonOf(text)
  if (value !== undefined) return value
  throw misuse('bad_json', `${what} is not JSON: ${oneLine(text, 80)}`, `For example: '{"path":"notes.md"}'`)
}

/** The value somebody answers a call with: the text, trimmed, unless the call's schema asks for another type. */
export function readValue(text: string, call: SuspendedCall | undefined): Json {
  const type = call?.responseSchema?.['type']
  const takesText = type === undefined || [type].flat().includes('string')
  return takesText ? text.trim() : readJson(text, `The value (${JSON.stringify(type)} is asked for)`)
}

/** The JSON a text holds; undefined where it holds none. */
function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
