import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long, the longest first: one of them at the end would leave the other workers idle. */
const long: readonly string[] = [
  'test/proof/exploration.test.ts',
  'test/proof/generated-tests.test.ts',
  'test/proof/conformance.test.ts',
  'test/proof/mutants.test.ts',
  'test/examples/examples.test.ts',
  'test/proof/chaos.test.ts',
  'test/apps/studio/page.test.ts',
  'test/proof/mutants-source.test.ts',
  'test/adapters/providers/cuts.test.ts',
  'test/crash/crash-walk.test.ts',
  'test/adapters/stores/postgres-store.test.ts',
  'test/adapters/tools/mcp-odd-servers.test.ts',
  'test/properties/planted-defects.test.ts',
  'test/adapters/stores/fixtures.test.ts',
  'test/apps/cli/program.test.ts',
  'test/properties/sequences.test.ts',
]

/** Starts the longest test files first, whatever is known of earlier runs. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => placeOf(left) - placeOf(right))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = long.findIndex((path) => moduleId.endsWith(path))
  return place < 0 ? long.length : place
}
