import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listMutants, type SourceMutant } from './list-mutants.ts'

/** The repository this belongs to. */
export const root = join(import.meta.dirname, '../..')

/** The hand-written source that is mutated: the core rooms, by path below a root. */
export function listSources(base: string = root): readonly string[] {
  return globSync(
    'src/{core/domain,core/step,core/runtime,core/stores,adapters/stores,core/effects,core/driving,core/plain,core/agent,core/prompt}/**/*.ts',
    {
      cwd: base,
    },
  ).toSorted()
}

/** Every mutant of the core rooms, file by file. */
export function listAllMutants(base: string = root): readonly SourceMutant[] {
  return listSources(base).flatMap((file) => listMutants(file, readFileSync(join(base, file), 'utf8')))
}
