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
import { endOf, uninterrupted } from '../../proof/fixtures/fixture-end.ts'
import { fixtureRuns } from '../../proof/fixtures/fixture-runs.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { sampled } from '../../proof/support/sampled.ts'
import type { Run } from '../../src/index.ts'
import type { Store, StoredRun } from '../../src/ports/store.ts'
import { pathOf } from '../../src/testing/charts/invariant.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { documentSchema } from '../../src/runtime/document.ts'
import { schemaVersion } from '../../src/stores/sqlite/schema.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Each layout as its last version wrote it, the third by each schema of documents, and the latest as it is written today. */
const layouts = [
  'layout-1',
  'layout-2',
  'layout-3',
  'layout-3-schema-2',
  'layout-4-schema-3',
  'layout-5-schema-3',
  'layout-6-schema-3',
  'layout-7-schema-3',
] as const
const latest = layouts[7]
const folder = join(import.meta.dirname, 'fixtures')
const namesIn = (layout: string) => readdirSync(join(folder, layout)).filter((name) => name !== 'schema.sql')
const textOf = (layout: string, name: string) => readFileSync(join(folder, layout, name), 'utf8')
const leaseMs = 30_000
const recorded = layouts.flatMap((layout) =>
  fixtureRuns.flatMap((fixture) => {
    const moments = namesIn(layout).filter((name) => name.startsWith(`${fixture.name}.`))
    return moments.length === 0 ? [] : [{ layout, fixture, name: fixture.name, moments }]
  }),
)
/** The moments of a layout of before that are played: others of each run in the next layout. */
const playedOf = (layout: (typeof layouts)[number], moments: readonly string[]) =>
  layout === latest ? moments : sampled(moments, 4, layouts.indexOf(layout))
const played = recorded.flatMap((recording) => {
  const moments = playedOf(recording.layout, recording.moments)
  return moments.length === 0 ? [] : [{ ...recording, moments }]
})
const forked = layouts.flatMap((layout, index) => {
  const ofLayout = recorded.filter((recording) => recording.layout === layout)
  return layout === latest ? ofLayout : sampled(ofLayout, 4, index)
})

test('CKP-07 every run that is recorded is recorded in the layout that is written today', () => {
  expect(latest).toBe(`layout-${schemaVersion}-schema-${documentSchema}`)
  const names = recorded.filter(({ layout }) => layout === latest).map(({ name }) => name)
  expect(names).toEqual(fixtureRuns.map(({ name }) => name))
})

test.for(played)('CKP-07 a run of $layout is driven to the end it would have had: $name', async (recording) => {
  const { layout, fixture, moments } = recording
  const expected = await wholeOf(fixture)
  using place = temporaryFolder()
  for (const name of moments) {
    const store = sqliteStore(restored(place, layout, name), { synchronous: 'normal' })
    expect({ name, ...(await drivenOn(fixture, store)) }).toEqual({ name, ...expected })
    await store.close()
  }
})

test.for(forked)('CKP-07 CKP-08 a run of $layout is forked from each of its checkpoints: $name', async (recording) => {
  const { layout, fixture, moments } = recording
  const { transcript: whole } = await wholeOf(fixture)
  // What the engine notes may come at another place in a fork.
  const said = (transcript: readonly string[]) =>
    transcript.filter((line) => line.startsWith('user: ') && !line.startsWith('user: ['))
  const ends: string[] = []
  // What a later moment holds of the log and its checkpoints, an earlier one holds too.
  const last = moments.toSorted((left, right) => numberOf(left) - numberOf(right)).at(-1) ?? ''
  using place = temporaryFolder()
  const store = sqliteStore(restored(place, layout, last), { synchronous: 'normal' })
  const clock = fakeClock()
  clock.advance(2 * leaseMs)
  const { agent } = fixtureAgent(fixture, store, 2, clock)
  for (const { version } of await store.checkpoints(fixtureId)) {
    const fork = await agent.fork(fixtureId, { from: version, runId: `fork-of-${version}` })
    // Its tool never ends where nobody interrupts it.
    if (fixture.name === 'interrupted') await fork.cancel()
    await playFixture(fixture, fork, clock)
    const { outcome, transcript } = await endOf(store, fork)
    ends.push(outcome?.reason ?? 'running')
    for (const line of said(transcript)) expect(whole).toContain(line)
  }
  expect(ends.length).toBeGreaterThan(0)
  await store.close()
})

/** How each recorded run ends where nothing comes between, played once. */
const wholes = new Map<FixtureRun, ReturnType<typeof uninterrupted>>()

function wholeOf(fixture: FixtureRun): ReturnType<typeof uninterrupted> {
  const whole = wholes.get(fixture) ?? uninterrupted(fixture)
  wholes.set(fixture, whole)
  return whole
}

function numberOf(moment: string): number {
  return Number(/\.(\d+)\.sql$/.exec(moment)?.[1])
}

test.for(layouts)('CKP-07 runs of %s are recorded in every status a stored run and call can have', (layout) => {
  const text = namesIn(layout)
    .map((name) => textOf(layout, name))
    .join('')
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
  // No run waited for permissions before layout 6.
  const reasons = ['approval', 'input', 'interrupted', ...(Number(layout.split('-')[1]) < 6 ? [] : ['permission'])]
  expect(found(/"suspension":\{[^}]*"reason":"(\w+)"/g)).toEqual(reasons)
  for (const part of ['"isHold":true', '"placeholder":true', '"editedArguments"', '"expiresAt"', '"labels"']) {
    expect(text).toContain(part)
  }
})

/**
 * Every state in which a chart rests between two events, but three: no write is made in `modelCall refreshingCredentials`
 * or `run running.opening.recalling`, and in `run running.turn.after.holdingRun` only where news of the run come with the failure of its model.
 */
const restingStates = [
  'modelCall backingOff',
  'modelCall calling',
  'run done',
  'run running.closing.askingAfterLoop',
  'run running.closing.telling.runningEnd',
  'run running.closing.telling.tellingError',
  'run running.opening.askingBeforeLoop',
  'run running.opening.buildingContext',
  'run running.opening.filteringInput',
  'run running.opening.startingRun',
  'run running.resumeGate.askingManager',
  'run running.resumeGate.replaying',
  'run running.toolRound.executing',
  'run running.turn.after.endingStep',
  'run running.turn.after.reviewingAnswer',
  'run running.turn.before.askingBeforeTurn',
  'run running.turn.before.filteringQueued',
  'run running.turn.before.preparingInference',
  'run running.turn.before.startingStep',
  'run running.turn.callingModel',
  'run running.turn.ended.askingAfterTurn',
  'run waiting',
  'toolCall cancelled.reviewing',
  'toolCall failed.reviewing',
  'toolCall new.gating',
  'toolCall new.queued',
  'toolCall resuming.gating',
  'toolCall running.backingOff',
  'toolCall running.executing',
  'toolCall succeeded.reviewing',
  'toolCall suspended.decided',
  'toolCall suspended.resting',
  'toolCall suspended.reviewing',
]

test('CKP-07 CKP-03 runs of the latest layout are recorded in every state in which a chart rests', async () => {
  const found = new Set<string>()
  using place = temporaryFolder()
  for (const name of namesIn(latest)) {
    const store = sqliteStore(restored(place, latest, name), { synchronous: 'normal' })
    for (const { id } of await store.list()) for (const state of statesIn(await store.read(id))) found.add(state)
    await store.close()
  }
  expect([...found].toSorted()).toEqual(restingStates)
})

test('CKP-07 EVT-04 a recorded run that stores its events tells those from before and since, without a gap', async () => {
  const fixture = fixtureRuns.find(({ name }) => name === 'stored-events') as FixtureRun
  const whole = fixtureAgent(fixture, memoryStore(), 1)
  const first = await beginFixture(fixture, whole)
  await playFixture(fixture, first, whole.clock)
  const expected = await eventsIn(first)
  expect(expected.map(([seq]) => seq)).toEqual(expected.map((_, index) => index + 1))
  using place = temporaryFolder()
  for (const name of namesIn(latest).filter((file) => file.startsWith('stored-events.'))) {
    const store = sqliteStore(restored(place, latest, name), { synchronous: 'normal' })
    await drivenOn(fixture, store)
    const run = await fixtureAgent(fixture, store, 3).agent.load(fixtureId)
    expect({ name, events: await eventsIn(run) }).toEqual({ name, events: expected })
    await store.close()
  }
})

/** Number and type of each event a run has stored. */
async function eventsIn(run: Run): Promise<readonly (readonly [number, string])[]> {
  const events: (readonly [number, string])[] = []
  for await (const { seq, type } of run.eventsAfter(0)) events.push([seq, type])
  return events
}

function restored(place: { file(name: string): string }, layout: string, name: string): string {
  const path = place.file(`${name}.db`)
  restoreDump(path, [textOf(layout, 'schema.sql'), textOf(layout, name)])
  return path
}

interface Actor {
  readonly value?: unknown
  readonly children?: { readonly [id: string]: { readonly src: string; readonly snapshot: Actor } }
}

function statesIn({ checkpoint, document, calls }: StoredRun): readonly string[] {
  const whole = [document, checkpoint?.document].flatMap((text) =>
    text === null || text === undefined ? [] : [(JSON.parse(text) as { readonly root: Actor }).root],
  )
  const rows = calls.flatMap((row) => (row.document === null ? [] : [JSON.parse(row.document) as Child]))
  return [...whole.map((snapshot): Child => ({ src: 'run', snapshot })), ...rows].flatMap(statesOf)
}

type Child = NonNullable<Actor['children']>[string]

function statesOf({ src, snapshot: { value, children = {} } }: Child): readonly string[] {
  const own = value === undefined ? [] : [`${src} ${pathOf(value)}`]
  return [...own, ...Object.values(children).flatMap(statesOf)]
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
