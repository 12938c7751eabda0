import { globSync, readFileSync, rmSync } from 'node:fs'
import { join, normalize, relative } from 'node:path'

/**
 * Deletes the declarations that no public entry point leads to, and returns their paths below the built folder.
 * `package.json` names the entry points as files of `dist`.
 */
export function dropDeclarations(folder: string, packageJson: string): readonly string[] {
  const doors = [...packageJson.matchAll(/"types": "\.\/dist\/([^"]+)"/g)].map(([, path = '']) => normalize(path))
  const reached = new Set<string>()
  for (const path of doors) walk(path, folder, reached)
  const unreached = globSync('**/*.d.ts', { cwd: folder }).filter((path) => !reached.has(path))
  for (const path of unreached) rmSync(join(folder, path))
  return unreached
}

function walk(path: string, folder: string, reached: Set<string>): void {
  if (reached.has(path)) return
  reached.add(path)
  const text = readFileSync(join(folder, path), 'utf8')
  for (const [, target = ''] of text.matchAll(/(?:from |import\(|import )['"](\.[^'"]+)['"]/g)) {
    walk(relative('.', join(path, '..', target.replace(/\.[jt]s$/, '.d.ts'))), folder, reached)
  }
}
