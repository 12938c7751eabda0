import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the text of the compiler's declarations by source path, for every module of the package. */
export function emitDeclarations(): ReadonlyMap<string, string> {
  mkdirSync('.statewright', { recursive: true })
  const folder = mkdtempSync(join('.statewright', 'doors-'))
  try {
    const parameters = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder]
    const { status, stdout, stderr, error } = spawnSync('node_modules/.bin/tsc', parameters, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`No declarations could be made: ${error?.message ?? `${stdout}${stderr}`}`)
    const paths = globSync('**/*.d.ts', { cwd: folder }).sort()
    return new Map(
      paths.map((path) => [path.replace(/\.d\.ts$/, '.ts'), readFileSync(join(folder, path), 'utf8')] as const),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
