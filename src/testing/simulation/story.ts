import type { Problem } from './ledger.ts'
import type { Note } from './world-parts.ts'

/** Lines of a story, the last of which says what went wrong. */
const mostLines = 12

/** Tells what led to a problem, in at most 12 lines: what happened to its run, faults, and what was wrong. */
export function storyOf(notes: readonly Note[], { message, invariant, runId }: Problem): readonly string[] {
  const own = notes.filter((note) => note.isFault === true || runId === undefined || note.runId === runId)
  const major = folded(own.filter(({ isMinor }) => isMinor !== true))
  // The last lines explain most; quiet lines are printed if there is room.
  const all = folded(own)
  return [...(all.length < mostLines ? all : major.slice(1 - mostLines)), `Broken: ${invariant}. ${message}`]
}

/** The lines of notes. A line that is repeated at once has a count. */
function folded(notes: readonly Note[]): readonly string[] {
  const lines: { readonly note: Note; times: number }[] = []
  for (const note of notes) {
    const last = lines.at(-1)
    if (last?.note.who === note.who && last.note.what === note.what) last.times++
    else lines.push({ note, times: 1 })
  }
  return lines.map(
    ({ note: { at, who, what }, times }) => `${at} ms: ${who} ${what}${times > 1 ? `, ${times} times` : ''}.`,
  )
}
