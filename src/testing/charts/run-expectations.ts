import type { Facts } from './facts.ts'
import type { Observed } from './invariant.ts'
import { expectedEnd } from './waiting-rule.ts'

/** Returns true if a note tells the model that its answer does not fit, or that it was refused. */
export function isCorrection(text: string): boolean {
  return text.startsWith('[The answer ')
}

/** Returns a description of the problem if an announcement of this type must not follow the last one. */
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

/** Returns the note that the run must write at its end. */
export function endNote({ facts, configuration }: Observed): readonly string[] {
  if (facts.verdict === 'cancelled') return facts.cancelNote === null ? [] : [facts.cancelNote]
  const end = expectedEnd(facts, configuration)
  const isGivenUp = (facts.isTimeOver || facts.isExhausted) && !facts.hasFinalAnswer
  if (end?.reason !== 'stopped' || (facts.isFinishing && !isGivenUp)) return []
  return stopNotes[('code' in end ? end.code : undefined) ?? ''] ?? []
}

/** The transcript notes of stops that the engine itself decides. */
const stopNotes: Readonly<Record<string, readonly string[]>> = {
  max_turns: ['[Agent stopped: maximum number of turns reached]'],
  max_tool_interactions: ['[Agent stopped: maximum number of tool interactions reached]'],
  max_duration: ['[Agent stopped: maximum running time reached]'],
  max_cost: ['[Agent stopped: maximum cost reached]'],
  loop_detected: ['[Agent stopped: repeated call]'],
}
