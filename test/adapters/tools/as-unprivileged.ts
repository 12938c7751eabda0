import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Performs a file tool in a process whom file permissions bind, even where the tests run as root. */
export async function asUnprivileged(root: string, name: string, given: object): Promise<unknown> {
  const script = fileURLToPath(new URL('perform-unprivileged.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, root, name, JSON.stringify(given)])
  return JSON.parse(stdout)
}
