import type { Facts } from './facts.ts'
import type { Observed } from './invariant.ts'
import { expectedEnd } from './waiting-rule.ts'

/** Whether a note tells the model that its answer does not fit. */
export function isCorrection(text: string): boolean {
  return text.startsWith('[The answer does not fit')
}

/** Whether an announcement of this type may follow what was told before. */
export function unfitting(facts: Facts, type: string): string | undefined {
  const after = `${type} came after ${facts.lastAnnouncement}`
  switch (type) {
    case 'run.started':
      return facts.lastAnnouncement === null ? undefined : after
    case 'run.resumed':
      return facts.lastAnnouncement === 'run.waiting' ? undefined : after
    case 'turn.started':
      return facts.isTurnOpen ? after : undefined
    case 'turn.ended':
      return facts.isTurnOpen ? undefined : after
    case 'run.waiting':
      return facts.isTurnOpen ? after : undefined
    case 'run.ended':
      return facts.isTurnOpen ? after : undefined
    default:
      return undefined
  }
}

/** The note a run ends with, by what has happened. */
export function endNote({ facts, configuration }: Observed): readonly string[] {
  if (facts.verdict === 'cancelled') return facts.cancelNote === null ? [] : [facts.cancelNote]
  const end = expectedEnd(facts, configuration)
  const isGivenUp = facts.isTimeOver && !facts.hasFinalAnswer
  if (end?.reason !== 'stopped' || (facts.isFinishing && !isGivenUp)) return []
  return stopNotes[('code' in end ? end.code : undefined) ?? ''] ?? []
}

/** What a stop of the engine's own says of itself in the transcript. */
const stopNotes: Readonly<Record<string, readonly string[]>> = {
  max_turns: ['[Agent stopped: maximum number of turns reached]'],
  max_duration: ['[Agent stopped: maximum running time reached]'],
  max_cost: ['[Agent stopped: maximum cost reached]'],
  loop_detected: ['[Agent stopped: repeated call]'],
}
