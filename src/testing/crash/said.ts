import type { PostedItem } from '../../core/domain/inbox.ts'
import { type InputMessage, type Message, textOf } from '../../core/domain/message.ts'
import type { CrashProblem } from './crash-problem.ts'

/** A stored message to a run. */
export interface Said {
  readonly kind: 'steer' | 'followUp' | 'extension'
  readonly text: string
}

/** Returns the messages of a posted item; empty if the item has no message. */
export function saidIn(item: PostedItem): readonly Said[] {
  if (item.kind === 'extension') return [{ kind: item.kind, text: wordsOf(item.message) }]
  if (item.kind !== 'steer' && item.kind !== 'followUp') return []
  return item.messages.map((message) => ({ kind: item.kind, text: wordsOf(message) }))
}

/** Returns the text of a message, or the data of a message for the application only. */
export function wordsOf(message: Message | InputMessage): string {
  return message.role === 'extension' ? `${message.kind} ${JSON.stringify(message.data)}` : textOf(message)
}

/**
 * Returns a problem for every message that was not delivered exactly once and in order; a message that filters reject
 * must not be delivered.
 */
export function judgeSaid(
  said: readonly Said[],
  heard: readonly string[],
  isRefused: (text: string) => boolean = () => false,
): readonly CrashProblem[] {
  const problems = said.flatMap(({ kind, text }): readonly CrashProblem[] => {
    const wanted = isRefused(text) ? 0 : 1
    const found = heard.filter((words) => words === text).length
    const message = `"${text}" (${kind}) was taken in ${found} times; expected ${wanted}.`
    if (found === wanted) return []
    return [{ kind: found < wanted ? 'lost' : 'doubled', message }]
  })
  return problems.length > 0 ? problems : misplaced(said, heard)
}

/** Returns a problem for each kind of message that was delivered out of order. */
function misplaced(said: readonly Said[], heard: readonly string[]): readonly CrashProblem[] {
  return (['steer', 'followUp', 'extension'] as const).flatMap((kind): readonly CrashProblem[] => {
    const order = said.filter((one) => one.kind === kind).flatMap(({ text }) => (heard.includes(text) ? [text] : []))
    const found = heard.filter((text) => order.includes(text))
    if (found.join('\n') === order.join('\n')) return []
    return [{ kind: 'transcript', message: `Said (${kind}): ${order.join(', ')}. Taken in: ${found.join(', ')}.` }]
  })
}
