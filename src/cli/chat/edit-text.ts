import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { misuse } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'

/** Has a person change a text in the editor of `$VISUAL` or `$EDITOR`; undefined where the editor was left with an error. */
export async function editText(text: string, { env }: Pick<CliIo, 'env'>): Promise<string | undefined> {
  const editor = env['VISUAL'] || env['EDITOR']
  if (!editor) throw misuse('no_editor', 'No editor is set.', 'Set one: EDITOR=vi')
  const folder = await mkdtemp(join(tmpdir(), 'statewright-'))
  try {
    const file = join(folder, 'arguments.json')
    await writeFile(file, text, { mode: 0o600 })
    // The variable may hold options of the editor, which a shell reads as everywhere.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env: { ...env } })
    const [code] = await once(child, 'close')
    return code === 0 ? await readFile(file, 'utf8') : undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
