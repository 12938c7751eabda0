import { z } from 'zod'
import type { Tool, ToolContext, ToolResult } from '../../core/ports/tool.ts'
import { tool } from '../../core/ports/define-tool.ts'
import { resolvedPath } from './resolved-path.ts'
import type { HeldFolder } from './held-folder.ts'
import { withFolder } from './held-place.ts'
import { entriesOf, quoteName, walkFiles } from './walk-files.ts'

/** The maximum number of entries in one call's result. */
export const listLimit = 1_000

const mostCharacters = 100_000

const input = z.object({
  path: z.string().min(1).optional().describe('Folder to list, from the root folder. Default: the root folder'),
  recursive: z.boolean().optional().describe('Also list what its folders hold. Default false'),
})

/** Returns the tool `list_files`: names under a folder, with `/` after folders. Links are marked and not followed. */
export function listFilesTool(root: string): Tool {
  return tool({
    name: 'list_files',
    label: 'List files',
    description:
      'Lists a folder inside the root folder. Recursive listing does not enter node_modules, .git and .statewright.',
    input,
    ruleFields: { path: resolvedPath(root) },
    effects: 'none',
    execute: ({ path = '.', recursive = false }, context) =>
      withFolder(root, path, context.signal, (folder, { shown }) => list(folder, shown, recursive, context)),
  })
}

async function list(folder: HeldFolder, shown: string, recursive: boolean, context: ToolContext): Promise<ToolResult> {
  const names: string[] = []
  let isCut = false
  let characters = 0
  for await (const entry of recursive ? walkFiles(folder, shown, context.signal) : await entriesOf(folder, shown)) {
    const name = `${quoteName(entry.shown)}${endings[entry.kind]}`
    characters += name.length
    isCut = names.length === listLimit || characters > mostCharacters
    if (isCut) break
    names.push(name)
    if (names.length % 200 === 0) context.progress(`Listing: ${names.length} entries`)
  }
  const note = `[Cut after ${names.length} entries. List a folder further down.]`
  if (names.length === 0 && !isCut) names.push('[The folder is empty.]')
  return {
    content: [{ type: 'text', text: [...names, ...(isCut ? [note] : [])].join('\n') }],
    status: isCut ? 'warning' : 'success',
  }
}

const endings = { file: '', folder: '/', link: ' (link)', other: ' (not a regular file)' } as const
