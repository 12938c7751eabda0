import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { runCommand } from './run-command.ts'

/** Sizes of a bundle, in kB of 1024. */
export interface BundleSize {
  /** The minified size of the files that the public entry loads at once. */
  readonly minified: number
  readonly gzipped: number
  /** The minified size including the files that are loaded on use. */
  readonly whole: number
}

/** Returns the sizes of everything that the public entry exports, minified by the bundler of vitest. */
export function bundleSize(project: string): BundleSize {
  writeFileSync(join(project, 'entry.js'), "export * from 'statewright'\n")
  const folder = join(project, 'bundle')
  rmSync(folder, { recursive: true, force: true })
  const flags = ['--format', 'esm', '--platform', 'node', '--minify', '--dir', 'bundle']
  runCommand(resolve('node_modules/.bin/rolldown'), ['entry.js', ...flags], project)
  const atOnce = loadedWith(folder, 'entry.js')
  const all = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const bundle = Buffer.concat(atOnce.map((name) => readFileSync(join(folder, name))))
  if (!bundle.includes('createMachine')) throw new Error('The bundle lacks the charts.')
  if (atOnce.length === all.length) throw new Error('Nothing of the bundle is loaded on use.')
  const whole = all.reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0)
  return { minified: bundle.length / 1024, gzipped: gzipSync(bundle).length / 1024, whole: whole / 1024 }
}

/** Returns every file of a bundle that is loaded with a file through its imports, including the file itself. */
function loadedWith(folder: string, name: string, seen: string[] = []): readonly string[] {
  if (seen.includes(name)) return seen
  seen.push(name)
  const text = readFileSync(join(folder, name), 'utf8')
  const imported = text.matchAll(/\b(?:import|from)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)
  for (const [, other = ''] of imported) loadedWith(folder, other, seen)
  return seen
}

/** Returns the gzipped size of the studio's page, as a browser loads it, in kB of 1024. */
export function studioSize(project: string): number {
  const page = join(project, 'node_modules/statewright/dist/src/apps/studio')
  const files = ['studio.js', 'studio.css'].map((name) => gzipSync(readFileSync(join(page, name))))
  return files.reduce((sum, { length }) => sum + length, 0) / 1024
}
