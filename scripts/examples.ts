import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { subpaths } from './docs/snippets.ts'

/**
 * The import names: `own` by path, as examples run in this repository; `public` by the package's names, as a user
 * writes.
 */
export type ImportNames = 'own' | 'public'

/** Rewrites every import of this package in an example. */
export function renameImports(
  path: string,
  text: string,
  names: ImportNames,
  doors: Readonly<Record<string, string>>,
): string {
  return Object.entries(doors).reduce((result, [name, source]) => {
    const own = `'${relative(dirname(path), source)}'`
    return names === 'public' ? result.replaceAll(own, `'${name}'`) : result.replaceAll(`'${name}'`, own)
  }, text)
}

if (import.meta.main) {
  const names = process.argv.includes('--public') ? 'public' : 'own'
  const doors = subpaths(readFileSync('package.json', 'utf8'))
  for (const path of globSync('examples/**/*.ts')) {
    const text = readFileSync(path, 'utf8')
    const renamed = renameImports(path, text, names, doors)
    if (renamed !== text) writeFileSync(path, renamed)
  }
}
