import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { PermissionOptions } from '../../../index.ts'
import type { RuleLists } from '../../../ports.ts'
import { CliError, misuse } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The maximum size of a rules file, in bytes. */
const mostBytes = 1_000_000

/** The rules of a folder, and the number of ignored rules. */
export interface FolderRules {
  /** Undefined without a rules file. */
  readonly permissions: PermissionOptions | undefined
  /** The number of ignored rules that would allow calls without an approval. */
  readonly leftOut: number
}

/**
 * Reads the rules in `.statewright/permissions.json` under a root, `{ "deny": […], "allow": […], "ask": […] }`. Rules
 * that allow calls count only if the person trusts the folder, because it may belong to somebody else. An unreadable
 * file is an error and never counts as no rules.
 */
export function readPermissions(root: string, { isTrusted }: { readonly isTrusted: boolean }): FolderRules {
  const file = join(root, '.statewright', 'permissions.json')
  const text = textOf(file)
  if (text === undefined) return { permissions: undefined, leftOut: 0 }
  const { allow = [], ...others } = rulesIn(file, text)
  if (isTrusted) return { permissions: { rules: { ...others, allow } }, leftOut: 0 }
  return { permissions: { rules: others }, leftOut: allow.length }
}

function textOf(file: string): string | undefined {
  try {
    const stats = statSync(file)
    // Other kinds of files, such as pipes, might never end.
    if (!stats.isFile()) throw unreadable(file, 'it is not a file')
    if (stats.size > mostBytes) throw unreadable(file, `it has more than ${mostBytes} bytes`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof CliError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
    if (code === 'ENOENT') return undefined
    throw unreadable(file, code)
  }
}

function rulesIn(file: string, text: string): RuleLists {
  const read = objectIn(file, text)
  for (const [name, list] of Object.entries(read)) {
    const shown = oneLine(JSON.stringify(name), 100)
    if (name !== 'deny' && name !== 'allow' && name !== 'ask') throw unreadable(file, `it has ${shown}`)
    if (!Array.isArray(list)) throw unreadable(file, `its ${shown} is not a list`)
  }
  return read
}

function objectIn(file: string, text: string): object {
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read
  } catch {
    throw unreadable(file, 'it is not JSON')
  }
  throw unreadable(file, 'it is not an object')
}

function unreadable(file: string, why: string): CliError {
  const wish = 'Write it as { "deny": [], "allow": [], "ask": [] }, or remove the file.'
  return misuse('bad_permissions', `The rules in ${oneLine(file, 500)} cannot be read: ${why}.`, wish)
}
