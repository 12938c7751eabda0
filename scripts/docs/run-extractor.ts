import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../extractor')
const installed = join(folder, 'node_modules/.package-lock.json')

/** The configs that the official extractor reads from some charts, or the reason why it did not run. */
export type Extraction =
  | { readonly configs: readonly unknown[]; readonly problem?: undefined }
  | { readonly problem: string; readonly configs?: undefined }

/**
 * Runs the official extractor on the texts of charts, after installing it if it is missing or older than its lock file.
 */
export function runExtractor(texts: readonly string[]): Extraction {
  if (!isExtractorInstalled()) {
    const failure = run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1']).failure
    if (failure !== undefined) return { problem: `npm ci in scripts/extractor failed: ${failure}` }
  }
  const { stdout, failure } = run(process.execPath, ['extract-charts.js'], JSON.stringify(texts))
  if (failure !== undefined) return { problem: `scripts/extractor/extract-charts.js failed: ${failure}` }
  return { configs: JSON.parse(stdout) as readonly unknown[] }
}

/** Returns true if the extractor can run without the registry. */
export function isExtractorInstalled(): boolean {
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs
}

interface Result {
  readonly stdout: string
  /** One line about a program that failed. */
  readonly failure?: string
}

function run(program: string, parameters: readonly string[], input = ''): Result {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, {
    cwd: folder,
    encoding: 'utf8',
    input,
    maxBuffer: 2 ** 26,
    timeout: 120_000,
  })
  if (status === 0) return { stdout }
  const said = (stderr ?? '').split('\n').filter((line) => /error/i.test(line))
  return { stdout: '', failure: error?.message ?? said[0] ?? `it ended with ${status}` }
}
