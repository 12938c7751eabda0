import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import type { FileChange } from './file-change.ts'
import { quoteName } from './walk-files.ts'

/** Characters of a diff that are shown at most. */
const diffLimit = 50_000

/** Lines added and removed above which no diff is worked out. */
const editLimit = 5_000

/** A change of a file as text. */
export interface ShownChange {
  /** Unified, three lines around; a line in brackets says what it does not show. Empty where nothing changes. */
  readonly diff: string
  /** Lines added and removed; null where they were not counted. */
  readonly added: number | null
  readonly removed: number | null
}

/** Compares a file with what is to stand in its place. */
export function showChange(shown: string, { before, after }: FileChange): ShownChange {
  const isThere = before.stamp !== 'absent'
  if (isThere && before.text === undefined) return uncounted('[No diff: what is replaced is not text, or too large.]')
  if (isThere && before.text === after) return { diff: '', added: 0, removed: 0 }
  const { text = '' } = before
  // Of two texts one of which is empty there is nothing to work out.
  const maxEditLength = text === '' || after === '' ? Infinity : editLimit
  const patch = structuredPatch('a', 'b', text, after, undefined, undefined, { context: 3, maxEditLength })
  if (patch === undefined) return uncounted(`[No diff: more than ${editLimit} lines change.]`)
  const lines = patch.hunks.flatMap((hunk) => hunk.lines)
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  const name = quoteName(shown)
  const head = `--- ${isThere ? `a/${name}` : '/dev/null'}\n+++ b/${name}\n`
  return { diff: cut(head + formatPatch(patch, OMIT_HEADERS)), added: count('+'), removed: count('-') }
}

function uncounted(diff: string): ShownChange {
  return { diff, added: null, removed: null }
}

function cut(diff: string): string {
  if (diff.length <= diffLimit) return diff
  const shown = diff.slice(0, diff.lastIndexOf('\n', diffLimit) + 1)
  return `${shown}[Cut after ${shown.length} of ${diff.length} characters.]`
}
