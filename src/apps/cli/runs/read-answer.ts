import type { Json } from '../../../index.ts'
import type { CliIo } from '../terminal/cli-io.ts'
import { readAsked } from './read-fields.ts'
import type { Person } from '../terminal/person.ts'
import type { SuspendedCall } from '../setup/suspended-calls.ts'

/** A person's answer to a suspended call. */
export type Answer =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly reason?: string }
  | { readonly kind: 'respond'; readonly value: Json }

/** Asks until the answer is understood; returns undefined if the person leaves the call for later. */
export async function askAnswer(
  call: SuspendedCall,
  person: Person,
  io: CliIo,
  whole: () => string,
): Promise<Answer | undefined> {
  if (call.reason === 'input' || call.reason === 'service' || call.reason === 'limit')
    return await askValue(call, person, io)
  const isYes = await askYesOrNo(call, person, io, whole)
  if (isYes === undefined) return undefined
  if (isYes) return { kind: 'approve' }
  const reason = await person.ask('Why? (Enter gives no reason) ')
  if (reason === undefined) return undefined
  return reason.trim() === '' ? { kind: 'deny' } : { kind: 'deny', reason: reason.trim() }
}

/** Asks for one key until it is understood, and pages the call at `v`; returns undefined if the person leaves. */
export async function askYesOrNo(
  call: SuspendedCall,
  person: Person,
  io: CliIo,
  whole: () => string,
): Promise<boolean | undefined> {
  for (;;) {
    const key = await person.press(question(call))
    if (key === undefined) return undefined
    if (key === 'y' || key === 'n') return key === 'y'
    if (key === 'v') await pageText(whole(), person, io)
    else io.stdout.write('Not understood. Press y for yes, n for no, v to see all of it. Ctrl-C leaves it for later.\n')
  }
}

async function askValue(call: SuspendedCall, person: Person, io: CliIo): Promise<Answer | undefined> {
  const print = (text: string) => void io.stdout.write(`${text}\n`)
  const value = await readAsked(call, { ask: (asked) => person.ask(asked), print })
  return value === undefined ? undefined : { kind: 'respond', value }
}

function question({ mayHaveRun, reason }: SuspendedCall): string {
  if (reason === 'model_unavailable') return 'Ask the model again? [y/n] '
  return mayHaveRun ? 'It may have run already. Run it again? [y/n] ' : 'Approve? [y/n] '
}

const usualRows = 24

/**
 * Prints a text one screen at a time and waits for a key between screens; `q`, the end of the input and Ctrl-C skip the
 * rest. The keys typed here never answer another question.
 */
async function pageText(text: string, person: Person, io: CliIo): Promise<void> {
  const lines = text.split('\n')
  const height = Math.max(2, (io.rows || usualRows) - 1)
  for (let shown = 0; shown < lines.length; shown += height) {
    io.stdout.write(`${lines.slice(shown, shown + height).join('\n')}\n`)
    const last = shown + height
    if (last >= lines.length) return
    const typed = await person.press(`-- ${last} of ${lines.length} lines; Enter shows more, q ends -- `)
    if (typed === undefined || typed === 'q') return
  }
}
