import type { Problem } from './ledger.ts'
import type { Note } from './world-parts.ts'

/** Lines of a story, the last of which says what went wrong. */
const mostLines = 12

/** Returns the story of a problem in at most 12 lines: what happened to its run, the faults, and the problem. */
export function storyOf(notes: readonly Note[], { message, invariant, runId }: Problem): readonly string[] {
  const own = notes.filter((note) => note.isFault === true || runId === undefined || note.runId === runId)
  const major = linesOf(own.filter(({ isMinor }) => isMinor !== true))
  // The last lines explain most; quiet lines are shown if there is room.
  const all = linesOf(own)
  return [...(all.length < mostLines ? all : major.slice(1 - mostLines)), `Broken: ${invariant}. ${message}`]
}

/** Lines of notes. A line that occurs three times or more is shown once, at its first place, with the count. */
function linesOf(notes: readonly Note[]): readonly string[] {
  const alike = Map.groupBy(notes, ({ who, what }) => `${who} ${what}`)
  return notes.flatMap((note) => {
    const text = `${note.who} ${note.what}`
    const same = alike.get(text) ?? []
    if (same.length < 3) return `${note.at} ms: ${text}.`
    return note === same[0] ? `${note.at} ms: ${text}, ${same.length} times.` : []
  })
}
