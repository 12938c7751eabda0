import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the size of all files in a project's node_modules, in kB of 1024. */
export function installedSize(project: string): number {
  const entries = globSync('node_modules/**', { cwd: project, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0) / 1024
}
