import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../budget/run-command.ts'
import { bundleEntries } from './bundle-entries.ts'
import { bundlePage } from '../../proof/support/bundle-page.ts'
import { dropDeclarations } from './drop-declarations.ts'

/**
 * Writes the published files into an emptied folder: the declarations that a public entry point leads to, the bundles,
 * and the page of the studio.
 */
export async function buildPackage(folder: string): Promise<void> {
  // Removes renamed files, which must not stay in the package.
  rmSync(folder, { recursive: true, force: true })
  runCommand('tsc', ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder])
  dropDeclarations(folder, readFileSync('package.json', 'utf8'))
  await bundleEntries(folder)
  const { script, style } = await bundlePage()
  mkdirSync(join(folder, 'src/apps/studio'), { recursive: true })
  writeFileSync(join(folder, 'src/apps/studio/studio.js'), script)
  writeFileSync(join(folder, 'src/apps/studio/studio.css'), style)
}
