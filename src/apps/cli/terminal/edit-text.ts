import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { misuse } from './cli-error.ts'
import type { CliIo } from './cli-io.ts'

/** The maximum size of an edited text, in bytes. */
const mostBytes = 1_000_000

/**
 * Opens a text in the person's editor from `$VISUAL` or `$EDITOR` and returns the result. Throws a {@link CliError} if
 * the editor fails, or leaves no file or one that is too large; the text is then unchanged.
 */
export async function editText(text: string, { env }: Pick<CliIo, 'env'>): Promise<string> {
  const editor = env['VISUAL'] || env['EDITOR']
  if (!editor) throw misuse('no_editor', 'No editor is set.', 'Set one: EDITOR=vi')
  const folder = await mkdtemp(join(tmpdir(), 'statewright-'))
  try {
    const file = join(folder, 'arguments.json')
    await writeFile(file, text, { mode: 0o600 })
    // The variable may contain options, so a shell parses it, as is usual.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env: { ...env } })
    await once(child, 'close')
    const { exitCode, signalCode } = child
    if (exitCode !== 0) {
      const how = exitCode === null ? `by ${signalCode}` : `with ${exitCode}`
      throw misuse('editor_failed', `The editor "${editor}" ended ${how}: nothing was changed.`)
    }
    const bytes = await stat(file).then(
      (found) => (found.isFile() ? found.size : undefined),
      () => undefined,
    )
    if (bytes === undefined) throw misuse('editor_failed', 'The editor left no file: nothing was changed.')
    if (bytes > mostBytes) {
      const said = `The text has ${bytes} bytes; at most ${mostBytes} are accepted: nothing was changed.`
      throw misuse('editor_failed', said)
    }
    return await readFile(file, 'utf8')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
