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

/** Keeps as many killed mutants as asked for, in the order of their seed. */
export function recordSample(results: readonly Result[], size: number): void {
  const killed = results.flatMap(({ id, ...verdict }) =>
    verdict.kind === 'killed' ? [{ id, file: verdict.file }] : [],
  )
  writeFileSync(path, `${JSON.stringify(killed.slice(0, size), null, 2)}\n`)
}
