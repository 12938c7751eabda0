import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentSchema } from '../src/core/runtime/document.ts'
import { versionOf } from '../src/adapters/stores/sqlite/migrate.ts'
import { layout } from '../src/adapters/stores/sqlite/schema.ts'
import { fixtureRuns } from './fixtures/fixture-runs.ts'
import { recordRun, writeRecording } from './fixtures/recording.ts'

const folder = join(import.meta.dirname, '..', 'test', 'adapters', 'stores', 'fixtures')
const recordings = []
for (const fixture of fixtureRuns) recordings.push(await recordRun(fixture))
const moments = new Map(recordings.flatMap((recording) => [...recording.moments]))
mkdirSync(folder, { recursive: true })
const name = `layout-${versionOf(layout)}-schema-${documentSchema}.sql`
writeFileSync(join(folder, name), writeRecording({ schema: recordings[0]?.schema ?? '', moments }))
console.log(`${moments.size} moments of ${fixtureRuns.length} runs are recorded in ${name}.`)
