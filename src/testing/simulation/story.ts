import type { Problem } from './ledger.ts'
import type { Note } from './world.ts'

/** Lines of a story, the last of which says what went wrong. */
const mostLines = 12

/** Tells what led to a problem, in at most 12 lines: what happened to its run, faults, and what was wrong. */
export function storyOf(notes: readonly Note[], { message, invariant, runId }: Problem): readonly string[] {
  const own = notes.filter((note) => note.isFault === true || runId === undefined || note.runId === runId)
  const major = own.filter(({ isMinor }) => isMinor !== true)
  // What comes last explains most; quiet lines are told if there is room.
  const told = own.length < mostLines ? own : major.slice(1 - mostLines)
  const last = major.at(-1)
  const lines = last === undefined || told.includes(last) ? told : [...told.slice(1), last]
  return [...lines.map(lineOf), `Broken: ${invariant}. ${message}`]
}

function lineOf({ at, who, what }: Note): string {
  return `${at} ms: ${who} ${what}.`
}
