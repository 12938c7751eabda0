import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documentSchema } from '../src/runtime/document.ts'
import { sqliteStore } from '../src/stores/sqlite/sqlite-store.ts'
import { dumpStore, type StoreDump } from './fixtures/dump-store.ts'
import { beginFixture, fixtureAgent, type FixtureRun, playFixture } from './fixtures/fixture-run.ts'
import { fixtureRuns } from './fixtures/fixture-runs.ts'
import { recordingStore } from './fixtures/recording-store.ts'

const fixtures = join(import.meta.dirname, '..', 'test', 'stores', 'fixtures')
let count = 0
for (const fixture of fixtureRuns) {
  const moments = await record(fixture)
  for (const [index, dump] of moments.entries()) write(`${fixture.name}.${index + 1}`, dump)
  count += moments.length
}
console.log(`${count} moments of ${fixtureRuns.length} runs are recorded.`)

/** Plays one run and dumps its store at the moments it is recorded at. */
async function record(fixture: FixtureRun): Promise<readonly StoreDump[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fixtures-'))
  const path = join(folder, 'runs.db')
  const moments: StoreDump[] = []
  const { writes = 0 } = fixture
  const store = sqliteStore(path, { synchronous: 'normal' })
  const watched = recordingStore(store, () => {
    if (moments.length < writes) moments.push(dumpStore(path))
  })
  const agent = fixtureAgent(fixture, watched, 1)
  const run = await beginFixture(fixture, agent)
  await playFixture(fixture, run, agent.clock, async () => void moments.push(dumpStore(path)))
  await store.close()
  rmSync(folder, { recursive: true })
  return moments
}

/** What a version of the charts has written of a layout stands apart from what another has. */
function write(name: string, { layout, schema, rows }: StoreDump): void {
  const folder = join(fixtures, `layout-${layout}-schema-${documentSchema}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'schema.sql'), schema)
  writeFileSync(join(folder, `${name}.sql`), rows)
}
