import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { runCommand } from './run-command.ts'

/** Everything the public entry exports with what it needs, minified by the bundler that vitest brings, in kB of 1024. */
export function bundleSize(project: string): { readonly minified: number; readonly gzipped: number } {
  writeFileSync(join(project, 'entry.js'), "export * from 'statewright'\n")
  const flags = ['--format', 'esm', '--platform', 'node', '--minify', '--file', 'bundle.js']
  runCommand(resolve('node_modules/.bin/rolldown'), ['entry.js', ...flags], project)
  const bundle = readFileSync(join(project, 'bundle.js'))
  if (!bundle.includes('createMachine')) throw new Error('The bundle lacks the charts.')
  return { minified: bundle.length / 1024, gzipped: gzipSync(bundle).length / 1024 }
}

/** What a browser loads for the studio, as the package has it, gzipped, in kB of 1024. */
export function studioSize(project: string): number {
  const page = join(project, 'node_modules/statewright/dist/src/studio/page')
  const files = ['studio.js', 'studio.css'].map((name) => gzipSync(readFileSync(join(page, name))))
  return files.reduce((sum, { length }) => sum + length, 0) / 1024
}
