import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from './results-file.ts'

/** A mutant and the test file that killed it when the sample was recorded. */
export interface RecordedMutant {
  readonly id: string
  readonly file: string
}

const path = join(import.meta.dirname, '../../test/golden/mutants-source.json')

/** The sample that the gate judges again: small, and the same until it is recorded anew. */
export function readRecordedSample(): readonly RecordedMutant[] {
  return JSON.parse(readFileSync(path, 'utf8')) as readonly RecordedMutant[]
}

/** A mutant that makes tests hang is killed by their time limit: too slow for the gate. */
const slow = 5_000

/** Keeps as many killed mutants as asked for, in the order of their seed; none that took long. */
export function recordSample(results: readonly Result[], size: number): void {
  const quick = results.filter(({ milliseconds }) => milliseconds < slow)
  const killed = quick.flatMap(({ id, ...verdict }) => (verdict.kind === 'killed' ? [{ id, file: verdict.file }] : []))
  writeFileSync(path, `${JSON.stringify(killed.slice(0, size), null, 2)}\n`)
}
