import { realpath, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import type { PromptMessage } from '../../../index.ts'
import { type NamedFile, withFiles } from '../setup/attached-files.ts'
import { misuse } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The maximum number of files that are sent with a prompt, and the maximum size of a file in bytes. */
const mostFiles = 20
const mostBytes = 10_000_000

/**
 * Returns a prompt followed by the files that the prompt mentions as `@path`. A word without a dot or a
 * slash that names no file is unchanged. Throws a `CliError` for a path without a file, for a file outside the folder, and
 * for a file that cannot be sent.
 */
export async function withMentionedFiles(prompt: string, root: string): Promise<string | PromptMessage> {
  const words = [...prompt.matchAll(/(?:^|\s)@(\S{1,500})/g)].map(([, path = '']) => path.replace(/[.,;:!?)]+$/, ''))
  const paths = [...new Set(words)].filter((path) => path !== '')
  if (paths.length > mostFiles) {
    throw misuse('too_many_files', `The prompt mentions ${paths.length} files; at most ${mostFiles} can be sent.`)
  }
  const files: NamedFile[] = []
  for (const name of paths) {
    const path = await pathOf(name, root)
    if (path !== undefined) files.push({ path, name })
  }
  return await withFiles(prompt, files)
}

async function pathOf(name: string, root: string): Promise<string | undefined> {
  const [folder, file] = await Promise.all([realpath(root), realpath(resolve(root, name)).catch(() => undefined)])
  if (file === undefined) {
    if (!/[./]/.test(name)) return undefined
    const message = `@${oneLine(name)} is not found: the folder ${oneLine(folder)} has no such file. Nothing was sent.`
    throw misuse('no_such_file', message, 'Leave out the @ if you do not mean a file.')
  }
  const inside = relative(folder, file)
  if (inside === '..' || inside.startsWith(`..${sep}`)) {
    throw misuse('outside_root', `@${oneLine(name)} is outside the folder ${oneLine(folder)}.`)
  }
  const { size } = await stat(file)
  if (size > mostBytes) {
    throw misuse('file_too_large', `@${oneLine(name)} has ${size} bytes; at most ${mostBytes} can be sent.`)
  }
  return file
}
