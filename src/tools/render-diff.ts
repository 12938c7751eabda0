import { createTwoFilesPatch, OMIT_HEADERS } from 'diff'
import type { FileChange } from './file-change.ts'
import { quoteName } from './walk-files.ts'

/** Characters of a diff that are shown at most. */
const diffLimit = 50_000

/** Lines added and removed above which no diff is worked out. */
const editLimit = 5_000

/** A change as a unified diff with three lines around; where that cannot be shown, a line in brackets that says why. */
export function renderDiff(shown: string, { before, after }: FileChange): string {
  const isThere = before.stamp !== 'absent'
  if (isThere && before.text === undefined) return '[No diff: what is replaced is not text, or too large.]'
  const options = { context: 3, maxEditLength: editLimit, headerOptions: OMIT_HEADERS }
  const hunks = createTwoFilesPatch('a', 'b', before.text ?? '', after, undefined, undefined, options)
  if (hunks === undefined) return `[No diff: more than ${editLimit} lines change.]`
  const name = quoteName(shown)
  const diff = `--- ${isThere ? `a/${name}` : '/dev/null'}\n+++ b/${name}\n${hunks}`
  if (diff.length <= diffLimit) return diff
  const cut = diff.slice(0, diff.lastIndexOf('\n', diffLimit) + 1)
  return `${cut}[Cut after ${cut.length} of ${diff.length} characters.]`
}
