import { readFile, realpath, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { misuse } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The maximum size in bytes of a file that is sent with a prompt, and the maximum number of files. */
const mostBytes = 100_000
const mostFiles = 20

/**
 * Appends the files that a prompt mentions as `@path` to the prompt. A word that does not name a file is unchanged.
 * Throws a `CliError` for a file outside the folder, a file that is not text, and a file that is too large.
 */
export async function withMentionedFiles(prompt: string, root: string): Promise<string> {
  const words = [...prompt.matchAll(/(?:^|\s)@(\S{1,500})/g)].map(([, path = '']) => path.replace(/[.,;:!?)]+$/, ''))
  const paths = [...new Set(words)].filter((path) => path !== '')
  if (paths.length > mostFiles) {
    throw misuse('too_many_files', `The prompt mentions ${paths.length} files, and ${mostFiles} are sent at most.`)
  }
  const files: string[] = []
  for (const path of paths) {
    const text = await textOf(path, root)
    if (text !== undefined) files.push(`\n\nThe file ${path}:\n\n${fenced(text)}`)
  }
  return prompt + files.join('')
}

async function textOf(path: string, root: string): Promise<string | undefined> {
  const [folder, file] = await Promise.all([realpath(root), realpath(resolve(root, path)).catch(() => undefined)])
  if (file === undefined) return undefined
  const inside = relative(folder, file)
  if (inside === '..' || inside.startsWith(`..${sep}`)) {
    throw misuse('outside_root', `@${oneLine(path)} is outside the folder ${oneLine(folder)}.`)
  }
  const { size, isFile } = await stat(file).then((stats) => ({ size: stats.size, isFile: stats.isFile() }))
  // Other kinds of files, such as pipes, might never end.
  if (!isFile) throw misuse('no_file', `@${oneLine(path)} is no file.`)
  if (size > mostBytes) {
    throw misuse('file_too_large', `@${oneLine(path)} has ${size} bytes, and ${mostBytes} are sent at most.`)
  }
  const bytes = await readFile(file)
  if (bytes.includes(0)) throw misuse('no_text', `@${oneLine(path)} is no text.`)
  return bytes.toString('utf8')
}

/** Returns a text in a fence that is longer than any run of backticks in the text. */
function fenced(text: string): string {
  let longest = 2
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}
