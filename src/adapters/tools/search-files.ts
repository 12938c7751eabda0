import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Tool, ToolContext, ToolResult } from '../../core/ports/tool.ts'
import { tool } from '../../core/ports/define-tool.ts'
import { resolvedPath } from './resolved-path.ts'
import { confinePath } from './confine-path.ts'
import { errorCode, failed } from './file-failure.ts'
import { filesAt, type FoundFile, type Promises } from './files-at.ts'
import { readIn } from './held-folder.ts'
import { type InsidePath, withPath } from './held-place.ts'
import { lineMatcher, type LineMatcher } from './line-matcher.ts'
import { filesWorthReading, findRipgrep } from './ripgrep.ts'
import { quoteName } from './walk-files.ts'

/** The maximum number of matching lines in one call's result. */
export const matchLimit = 200

/** The bytes above which a file is skipped. */
export const searchedFileLimit = 1_000_000

const input = z.object({
  query: z.string().min(1).max(1_000).describe('Text to find, or a JavaScript regular expression with regex: true'),
  regex: z.boolean().optional().describe('Take query as a regular expression. Default false'),
  ignoreCase: z.boolean().optional().describe('Default false'),
  path: z.string().min(1).optional().describe('File or folder to search, from the root folder. Default: all'),
})

interface SearchOptions {
  /** Finds `rg`, which selects the files to read faster; undefined reads all. Default: `findRipgrep`. */
  readonly ripgrep?: () => Promise<string | undefined>
}

/** Returns the tool `search_files`: lines that contain a text or match a regular expression, as `path:line: text`. */
export function searchFilesTool(root: string, { ripgrep = findRipgrep }: SearchOptions = {}): Tool {
  return tool({
    name: 'search_files',
    label: 'Search files',
    description:
      'Finds lines in text files inside the root folder. Skips node_modules, .git, .statewright, links and binary files.',
    input,
    ruleFields: { path: resolvedPath(root) },
    effects: 'none',
    execute: ({ query, regex = false, ignoreCase = false, path = '.' }, context) =>
      withPath(
        path,
        context.signal,
        () => confinePath(root, path),
        async (inside) => {
          const matcher = lineMatcher({ query, regex, ignoreCase })
          if ('invalid' in matcher) return failed(`${matcher.invalid} Correct it, or search for plain text.`)
          const promises: Promises = async (folder) => {
            const program = await ripgrep()
            if (program === undefined) return undefined
            return await filesWorthReading(program, folder, { query, regex, ignoreCase }, context.signal)
          }
          return await search(inside, matcher, promises, context)
        },
      ),
  })
}

async function search(
  inside: InsidePath,
  matcher: LineMatcher,
  promises: Promises,
  context: ToolContext,
): Promise<ToolResult> {
  const found: string[] = []
  const skipped: string[] = []
  let files = 0
  for await (const file of filesAt(inside, promises, context.signal)) {
    context.signal.throwIfAborted()
    files++
    if (files % 200 === 0) context.progress(`Searching: ${files} files, ${found.length} matches`)
    const text = await textOf(file)
    if (text === 'large') skipped.push(file.shown)
    if (text === 'passed over' || text === 'large') continue
    const matches = matcher.match(text.content, matchLimit - found.length + 1)
    if (matches === 'too slow') {
      return failed(`The expression takes too long on "${file.shown}". Use a simpler one, or plain text.`)
    }
    found.push(...matches.map(({ line, text: shown }) => `${quoteName(file.shown)}:${line}: ${shown}`))
    if (found.length > matchLimit) break
  }
  return report(found, skipped, files)
}

/** A file that vanished, was replaced or may not be read is passed over, and so is what is not text. */
async function textOf({
  folder,
  name,
  isPromising,
}: FoundFile): Promise<{ content: string } | 'passed over' | 'large'> {
  try {
    if ((await lstat(join(folder.path, name))).size > searchedFileLimit) return 'large'
    if (!isPromising) return 'passed over'
    const bytes = await readIn(folder, name, searchedFileLimit)
    return bytes.includes(0) ? 'passed over' : { content: bytes.toString() }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return 'passed over'
  }
}

function report(found: readonly string[], skipped: readonly string[], files: number): ToolResult {
  const isCut = found.length > matchLimit
  const notes = [
    ...(isCut ? [`[Cut after ${matchLimit} matches. Use a narrower query or path.]`] : []),
    ...(skipped.length > 0
      ? [`[Not searched, over ${searchedFileLimit} bytes: ${skipped.slice(0, 10).map(quoteName).join(', ')}]`]
      : []),
  ]
  const lines = found.length === 0 ? [`No match in ${files} files.`] : found.slice(0, matchLimit)
  return {
    content: [{ type: 'text', text: [...lines, ...notes].join('\n') }],
    status: notes.length === 0 ? 'success' : 'warning',
    details: { files, matches: Math.min(found.length, matchLimit), isCut },
  }
}
