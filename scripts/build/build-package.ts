import { rmSync } from 'node:fs'
import { runCommand } from '../budget/run-command.ts'
import { bundleEntries } from './bundle-entries.ts'

/** Writes what is published into a folder that is emptied first: declarations, one a source file, and the bundles. */
export async function buildPackage(folder: string): Promise<void> {
  // A file that was renamed must not stay behind in the package.
  rmSync(folder, { recursive: true, force: true })
  runCommand('tsc', ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder])
  await bundleEntries(folder)
}
