import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { restoreDump } from '../../proof/fixtures/dump-store.ts'
import {
  beginFixture,
  fixtureAgent,
  fixtureId,
  type FixtureRun,
  forkId,
  playFixture,
} from '../../proof/fixtures/fixture-run.ts'
import { fixtureRuns } from '../../proof/fixtures/fixture-runs.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { transcriptOf } from '../../proof/support/read-run.ts'
import type { Run } from '../../src/index.ts'
import type { Store } from '../../src/ports/store.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = join(import.meta.dirname, 'fixtures', 'layout-1')
const names = readdirSync(folder).filter((name) => name !== 'schema.sql')
const textOf = (name: string) => readFileSync(join(folder, name), 'utf8')
const leaseMs = 30_000

/** Results that were stored before they were told of it do not begin with it. */
const told = /\[A person changed the arguments of this call to: .*?\] \| /

test.for(fixtureRuns)('CKP-07 a run of layout 1 is driven to the end it would have had: $name', async (fixture) => {
  const expected = await uninterrupted(fixture)
  const moments = names.filter((name) => name.startsWith(`${fixture.name}.`))
  expect(moments).not.toEqual([])
  for (const name of moments) {
    using place = temporaryFolder()
    const path = place.file('runs.db')
    restoreDump(path, [textOf('schema.sql'), textOf(name)])
    const store = sqliteStore(path, { synchronous: 'normal' })
    expect({ name, ...(await drivenOn(fixture, store)) }).toEqual({ name, ...expected })
    await store.close()
  }
})

test('CKP-07 runs of layout 1 are recorded in every state a stored run and call can be in', () => {
  const text = names.map(textOf).join('')
  const found = (pattern: RegExp) =>
    [...new Set(Array.from(text.matchAll(pattern), ([, word = '']) => word))].toSorted()
  expect(found(/INSERT INTO runs VALUES \(\d+, '[^']+', 'test', '(\w+)'/g)).toEqual(['done', 'running', 'waiting'])
  expect(found(/INSERT INTO runs VALUES \(\d+, '[^']+', 'test', '\w+', '(\w+)'/g)).toEqual([
    'cancelled',
    'error',
    'natural_end',
    'plugin_requested',
    'stopped',
    'suspended',
  ])
  expect(found(/"messageSeq":\d+,"status":"(\w+)"/g)).toEqual([
    'cancelled',
    'failed',
    'new',
    'resuming',
    'running',
    'succeeded',
    'suspended',
  ])
  const reasons = ['approval', 'input', 'interrupted']
  expect(found(/"suspension":\{[^}]*"reason":"(\w+)"/g)).toEqual(reasons)
  for (const part of ['"isHold":true', '"placeholder":true', '"editedArguments"', '"expiresAt"', '"labels"']) {
    expect(text).toContain(part)
  }
})

async function uninterrupted(fixture: FixtureRun) {
  const agent = fixtureAgent(fixture, memoryStore(), 1)
  const run = await beginFixture(fixture, agent)
  await playFixture(fixture, run, agent.clock)
  return endOf(agent.store, run)
}

/** Goes on in another process, once the lease of the one that was recorded has ended. */
async function drivenOn(fixture: FixtureRun, store: Store) {
  const clock = fakeClock()
  clock.advance(2 * leaseMs)
  const { agent } = fixtureAgent(fixture, store, 2, clock)
  const ids = (await store.list()).map(({ id }) => id)
  const run = await agent.load(ids.includes(forkId) ? forkId : fixtureId)
  await playFixture(fixture, run, clock)
  return endOf(store, run)
}

async function endOf(store: Store, run: Run) {
  const { outcome } = await run.result()
  const transcript = await transcriptOf(store, run.id)
  return {
    outcome,
    labels: await run.labels(),
    transcript: transcript.map((line) => line.replaceAll(/_p\d_/g, '_').replace(told, '')),
  }
}
