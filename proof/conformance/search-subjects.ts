import { execFileSync } from 'node:child_process'
import type { Tool } from '../../src/core/ports/tool.ts'
import { findRipgrep } from '../../src/adapters/tools/ripgrep.ts'
import { searchFilesTool } from '../../src/adapters/tools/search-files.ts'

/** Every way of searching there is on this machine: our own, with the package's ripgrep, and with that of the path. */
export async function searchSubjects(): Promise<Readonly<Record<string, (root: string) => Tool>>> {
  const found = await findRipgrep()
  const withProgram = (program: string | undefined) => (root: string) =>
    searchFilesTool(root, { ripgrep: async () => program })
  return {
    own: withProgram(undefined),
    ...(found === undefined ? {} : { ripgrep: withProgram(found) }),
    ...(found !== 'rg' && isOnPath('rg') ? { 'rg on the path': withProgram('rg') } : {}),
  }
}

function isOnPath(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
