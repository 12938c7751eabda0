import { readFileSync, rmSync } from 'node:fs'
import { runCommand } from '../budget/run-command.ts'
import { bundleEntries } from './bundle-entries.ts'
import { dropDeclarations } from './drop-declarations.ts'

/** Writes what is published into a folder that is emptied first: declarations, one a source file that a public door leads to, and the bundles. */
export async function buildPackage(folder: string): Promise<void> {
  // A file that was renamed must not stay behind in the package.
  rmSync(folder, { recursive: true, force: true })
  runCommand('tsc', ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder])
  dropDeclarations(folder, readFileSync('package.json', 'utf8'))
  await bundleEntries(folder)
}
