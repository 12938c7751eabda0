import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PermissionOptions, RuleLists } from '../index.ts'
import { CliError, exitCodes } from './cli-error.ts'
import { oneLine } from './safe-text.ts'

/** The most bytes that are read of a file of rules. */
const mostCharacters = 1_000_000

/**
 * The rules of `.statewright/permissions.json` under a root, `{ "deny": […], "allow": […], "ask": […] }`; undefined where
 * there is no such file. One that cannot be read is an error, never no rules.
 */
export function readPermissions(root: string): PermissionOptions | undefined {
  const file = join(root, '.statewright', 'permissions.json')
  const text = textOf(file)
  if (text === undefined) return undefined
  const rules = rulesIn(file, text)
  return { rules }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
    if (code === 'ENOENT') return undefined
    throw unreadable(file, code)
  }
}

function rulesIn(file: string, text: string): RuleLists {
  if (text.length > mostCharacters) throw unreadable(file, `it has more than ${mostCharacters} characters`)
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read
  } catch {
    throw unreadable(file, 'it is no JSON')
  }
  throw unreadable(file, 'it is no object')
}

function unreadable(file: string, why: string): CliError {
  return new CliError(
    exitCodes.misuse,
    'bad_permissions',
    `The rules in ${oneLine(file, 500)} cannot be read: ${why}.`,
    ['Write it as { "deny": [], "allow": [], "ask": [] }, or remove the file.'],
  )
}
