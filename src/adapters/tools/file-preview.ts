import { canonicalJson, hashText, isRecord } from '../../core/domain/text/json.ts'
import type { ToolContext } from '../../core/ports/tool.ts'
import type { FileChange } from './file-change.ts'
import { countFeeds } from './find-text.ts'
import { showChange } from './render-diff.ts'

/** The preview of a call of `write_file` or `edit_file` that needs approval. */
export type FilePreview = {
  /** From the root. */
  readonly path: string
  /** `none` if the file already has the new content. */
  readonly change: 'create' | 'replace' | 'none'
  /** Unified, with three lines of context; a line in brackets says what is not shown. Empty if nothing changes. */
  readonly diff: string
  /** Lines added and removed; null if they were not counted. */
  readonly added: number | null
  readonly removed: number | null
  /** The replaced file; null if there is none. */
  readonly before: {
    /** SHA-256 in hexadecimal; of a file over 5,000,000 bytes inode, size and time of its last change, joined by colons. */
    readonly hash: string
    readonly bytes: number
    /** Null if the content is not a text. */
    readonly lines: number | null
  } | null
  readonly after: { readonly bytes: number; readonly lines: number }
  /** The state of the file that an approval binds to. */
  readonly state: string
}

/** Returns the preview of a planned file change for the person who approves it. */
export async function filePreview(shown: string, change: FileChange): Promise<FilePreview> {
  const { before, after } = change
  const isThere = before.stamp !== 'absent'
  const verb = isThere ? 'replace' : 'create'
  return {
    path: shown,
    change: isThere && before.text === after ? 'none' : verb,
    ...(await showChange(shown, change)),
    before: isThere
      ? { hash: before.stamp, bytes: before.bytes, lines: before.text === undefined ? null : linesOf(before.text) }
      : null,
    after: { bytes: Buffer.byteLength(after), lines: linesOf(after) },
    state: stateOf(shown, change),
  }
}

function linesOf(text: string): number {
  const ends = countFeeds(text)
  return text === '' || text.endsWith('\n') ? ends : ends + 1
}

/** A hash, so that it does not change if secrets are masked. */
function stateOf(shown: string, { before }: FileChange): string {
  return hashText(canonicalJson([shown, before.stamp]))
}

/** Returns true if the file has changed since the preview of this call, unless it already has the wanted text. */
export function isOutdated(
  { suspension, decision }: Pick<ToolContext, 'suspension' | 'decision'>,
  shown: string,
  change: FileChange,
): boolean {
  const seen = suspension?.preview
  if (seen === undefined || change.before.text === change.after) return false
  const isEdited = decision?.input !== undefined || decision?.result !== undefined
  if (!isRecord(seen)) return !isEdited
  if (isEdited && seen['path'] !== shown) return false
  return seen['state'] !== stateOf(shown, change)
}
