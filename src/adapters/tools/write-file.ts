import { z } from 'zod'
import type { Tool } from '../../core/ports/tool.ts'
import { tool } from '../../core/ports/define-tool.ts'
import type { TextFiles } from './text-files.ts'
import { changing, type ChangeWish } from './change-file.ts'

const input = z.object({
  path: z.string().min(1).describe('File to write, from the root folder; missing folders are made'),
  content: z.string().describe('The whole new content'),
})

/** Returns the tool `write_file`, which replaces or creates a whole file. It asks first unless `write` is `allow`. */
export function writeFileTool(root: string, write: 'approval' | 'allow', texts?: TextFiles): Tool {
  return tool({
    name: 'write_file',
    label: 'Write file',
    description: 'Writes a whole text file inside the root folder, creating or replacing it.',
    input,
    ...changing(root, write, (given: z.infer<typeof input>) => wishOf(root, texts, given)),
  })
}

function wishOf(root: string, texts: TextFiles | undefined, { path, content }: z.infer<typeof input>): ChangeWish {
  const isMade = (text: string) => text === content || undefined
  return { root, path, makes: true, texts, plan: () => ({ after: content }), isMade }
}
