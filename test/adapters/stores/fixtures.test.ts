import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { restoreDump } from '../../../proof/fixtures/dump-store.ts'
import {
  beginFixture,
  fixtureAgent,
  fixtureId,
  type FixtureRun,
  forkId,
  playFixture,
} from '../../../proof/fixtures/fixture-run.ts'
import { endOf, uninterrupted } from '../../../proof/fixtures/fixture-end.ts'
import { fixtureRuns } from '../../../proof/fixtures/fixture-runs.ts'
import { readRecording, type Recording, recordRun, writeRecording } from '../../../proof/fixtures/recording.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { sampled } from '../../../proof/support/sampled.ts'
import type { Run } from '../../../src/index.ts'
import type { Store, StoredRun } from '../../../src/core/ports/store.ts'
import { pathOf } from '../../../src/testing/charts/invariant.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = join(import.meta.dirname, 'fixtures')
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.sql')) : []
const today = 'today'
const layouts = [...files, today]
const leaseMs = 30_000
const recordings = new Map(files.map((name) => [name, readRecording(readFileSync(join(folder, name), 'utf8'))]))
/** Runs as they are stored today, each recorded when it is first asked for. */
const recordedToday = new Map<FixtureRun, Promise<Recording>>()

/** The moments of a run that a layout has, in the order in which they were recorded. */
async function recordingOf(layout: string, fixture: FixtureRun): Promise<Recording> {
  const { schema, moments } = recordings.get(layout) ?? (await recordedNow(fixture))
  return { schema, moments: new Map([...moments].filter(([name]) => name.startsWith(`${fixture.name}.`))) }
}

function recordedNow(fixture: FixtureRun): Promise<Recording> {
  const recording = recordedToday.get(fixture) ?? recordRun(fixture)
  recordedToday.set(fixture, recording)
  return recording
}

const cases = layouts.flatMap((layout) => fixtureRuns.map((fixture) => ({ layout, fixture, name: fixture.name })))

test('CKP-07 a recording is the same after it was written as text and read back', async () => {
  const fixture = fixtureRuns.find(({ name }) => name === 'approval') as FixtureRun
  const recording = await recordedNow(fixture)
  expect(recording.moments.size).toBeGreaterThan(1)
  expect(readRecording(writeRecording(recording))).toEqual(recording)
})

test.for(cases)('CKP-07 drives a run of layout $layout to its expected end: $name', async (recording) => {
  const { layout, fixture } = recording
  const expected = await wholeOf(fixture)
  const { schema, moments } = await recordingOf(layout, fixture)
  using place = temporaryFolder()
  // The crash walk takes runs of today up after each of their writes.
  for (const [name, rows] of sampled([...moments], layout === today ? 3 : 1)) {
    const store = sqliteStore(restored(place, name, [schema, rows]), { synchronous: 'normal' })
    expect({ name, ...(await drivenOn(fixture, store)) }).toEqual({ name, ...expected })
    await store.close()
  }
})

test.for(cases)(
  'CKP-07 CKP-08 forks a run of layout $layout from each of its checkpoints: $name',
  async (recording) => {
    const { layout, fixture } = recording
    const { transcript: whole } = await wholeOf(fixture)
    // The engine's notes may be in another place in a fork.
    const said = (transcript: readonly string[]) =>
      transcript.filter((line) => line.startsWith('user: ') && !line.startsWith('user: ['))
    const ends: string[] = []
    const { schema, moments } = await recordingOf(layout, fixture)
    // Each earlier moment contains a prefix of the later moment's log and checkpoints.
    const [name = '', rows = ''] = [...moments].at(-1) ?? []
    if (name === '') return
    using place = temporaryFolder()
    const store = sqliteStore(restored(place, name, [schema, rows]), { synchronous: 'normal' })
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
  },
)

/** The end of each recorded run if nothing interrupts it, played once. */
const wholes = new Map<FixtureRun, ReturnType<typeof uninterrupted>>()

function wholeOf(fixture: FixtureRun): ReturnType<typeof uninterrupted> {
  const whole = wholes.get(fixture) ?? uninterrupted(fixture)
  wholes.set(fixture, whole)
  return whole
}

test('CKP-07 has recordings of every status that a stored run and call can have', async () => {
  const recorded = await Promise.all(fixtureRuns.map(recordedNow))
  const text = recorded.flatMap(({ moments }) => [...moments.values()]).join('')
  const found = (pattern: RegExp) =>
    [...new Set(Array.from(text.matchAll(pattern), ([, word = '']) => word))].toSorted()
  expect(found(/INSERT INTO runs VALUES \(\d+, '[^']+', 'test', NULL, '(\w+)'/g)).toEqual([
    'done',
    'running',
    'waiting',
  ])
  expect(found(/INSERT INTO runs VALUES \(\d+, '[^']+', 'test', NULL, '\w+', '(\w+)'/g)).toEqual([
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
  const reasons = ['approval', 'input', 'interrupted', 'permission']
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
  'run running.closing.askingAfterRun',
  'run running.closing.telling.runningEnd',
  'run running.closing.telling.tellingError',
  'run running.opening.askingBeforeRun',
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
  'run running.turn.before.preparingModel',
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

test('CKP-07 CKP-03 has recordings of every state in which a chart rests', async () => {
  const found = new Set<string>()
  using place = temporaryFolder()
  for (const { schema, moments } of await Promise.all(fixtureRuns.map(recordedNow))) {
    for (const [name, rows] of moments) {
      const store = sqliteStore(restored(place, name, [schema, rows]), { synchronous: 'normal' })
      for (const { id } of await store.list()) for (const state of statesIn(await store.read(id))) found.add(state)
      await store.close()
    }
  }
  expect([...found].toSorted()).toEqual(restingStates)
})

test('CKP-07 EVT-04 a recorded run emits its events from before and after the recording', async () => {
  const fixture = fixtureRuns.find(({ name }) => name === 'stored-events') as FixtureRun
  const whole = fixtureAgent(fixture, memoryStore(), 1)
  const first = await beginFixture(fixture, whole)
  await playFixture(fixture, first, whole.clock)
  const expected = await eventsIn(first)
  using place = temporaryFolder()
  const { schema, moments } = await recordedNow(fixture)
  for (const [name, rows] of moments) {
    const store = sqliteStore(restored(place, name, [schema, rows]), { synchronous: 'normal' })
    await drivenOn(fixture, store)
    const run = await fixtureAgent(fixture, store, 3).agent.load(fixtureId)
    expect({ name, events: await eventsIn(run) }).toEqual({ name, events: expected })
    await store.close()
  }
})

/** Number and type of each event a run has stored. */
async function eventsIn(run: Run): Promise<readonly (readonly [number, string])[]> {
  const events: (readonly [number, string])[] = []
  for await (const { seq, type } of run.events({ deltas: false })) events.push([seq, type])
  return events
}

function restored(place: { file(name: string): string }, name: string, texts: readonly string[]): string {
  const path = place.file(`${name}.db`)
  restoreDump(path, texts)
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
