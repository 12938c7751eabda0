import { z } from 'zod'
import type { Tool } from '../../core/ports/tool.ts'
import { tool } from '../../core/ports/define-tool.ts'
import type { TextFiles } from './text-files.ts'
import { changing, type ChangeWish } from './change-file.ts'
import { changedFileLimit, type FileState } from './file-change.ts'
import { planEdits, type TextEdit } from './plan-edits.ts'

const edit = z.object({
  oldText: z.string().min(1).describe('Text to replace, exactly as it stands in the file, and there only once'),
  newText: z.string().describe('The replacement'),
})

const input = z.object({
  path: z.string().min(1).describe('File to edit, from the root folder'),
  edits: z.array(edit).min(1).max(100).describe('All are made or none; each is looked for in the file as it is now'),
})

/**
 * Returns the tool `edit_file`, which replaces exact text that occurs once in a file. It asks first unless `write` is
 * `allow`.
 */
export function editFileTool(root: string, write: 'approval' | 'allow', texts?: TextFiles): Tool {
  return tool({
    name: 'edit_file',
    label: 'Edit file',
    description:
      'Replaces pieces of a text file inside the root folder. Read the file first and copy the text exactly.',
    input,
    ...changing(root, write, (given: z.infer<typeof input>) => wishOf(root, texts, given)),
  })
}

function wishOf(root: string, texts: TextFiles | undefined, { path, edits }: z.infer<typeof input>): ChangeWish {
  return {
    root,
    path,
    makes: false,
    texts,
    plan: (before, shown) => plan(before, shown, edits),
    isMade: (text) => isMade(text, edits),
  }
}

/**
 * Returns true if every new text is in the file and no old one is, and false if the reverse holds. Edits whose old and
 * new texts contain each other are undecidable.
 */
function isMade(text: string, edits: readonly TextEdit[]): boolean | undefined {
  const isClear = edits.every(
    ({ oldText, newText }) => newText !== '' && !newText.includes(oldText) && !oldText.includes(newText),
  )
  if (!isClear) return undefined
  if (edits.every(({ oldText, newText }) => text.includes(newText) && !text.includes(oldText))) return true
  return edits.every(({ oldText, newText }) => text.includes(oldText) && !text.includes(newText)) ? false : undefined
}

async function plan(before: FileState, shown: string, edits: readonly TextEdit[]) {
  if (before.stamp === 'absent') return { wrong: `"${shown}": no such file. Create it with write_file.` }
  if (before.text === undefined)
    return { wrong: `"${shown}" is not UTF-8 text, or has more than ${changedFileLimit} bytes.` }
  const planned = await planEdits(before.text, edits)
  return 'wrong' in planned ? { wrong: `"${shown}": ${planned.wrong} Nothing was changed.` } : planned
}
