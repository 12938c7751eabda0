import { parseAnswer } from '../index.ts'
import { CliError } from './cli-error.ts'
import type { CliIo } from './cli-io.ts'
import type { Person } from './person.ts'
import { jsonOf, readValue } from './read-json.ts'
import type { Json } from './stored.ts'
import type { SuspendedCall } from './suspended-calls.ts'

const expectedAnswers = 'yes, ok, approve, true or {"approved":true}; no, deny, cancel, false or {"approved":false}'

/** What a person said to a suspended call. */
export type Answer =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly reason?: string }
  | { readonly kind: 'respond'; readonly value: Json }

/** Asks until an answer is understood; undefined where the person leaves the call for later. */
export async function askAnswer(call: SuspendedCall, person: Person, io: CliIo): Promise<Answer | undefined> {
  const asksForValue = call.reason === 'input' || call.reason === 'service'
  for (;;) {
    const typed = await person.ask(asksForValue ? 'Value: ' : question(call))
    if (typed === undefined) return undefined
    const answer = asksForValue ? valueAnswer(typed, call) : wordAnswer(typed)
    if (typeof answer !== 'string') return answer
    io.stdout.write(`${answer}\n`)
  }
}

function question({ mayHaveRun }: SuspendedCall): string {
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
