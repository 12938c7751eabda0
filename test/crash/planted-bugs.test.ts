import { expect, test } from 'vitest'
import { scenarios } from '../../proof/crash/scenarios.ts'
import { memoryStorage } from '../../proof/crash/storages.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { walkCrashes } from '../../src/testing/crash/walk-crashes.ts'
import {
  acknowledgingEarly,
  claimingIdempotence,
  creatingInTwo,
  forgettingTheReference,
  forgettingDecisions,
  forgettingQueue,
  forgettingSteps,
  forgettingTheOriginal,
  losingIntent,
  renewingAnything,
  retellingMessages,
  splittingCommits,
  tellingTheOriginal,
  withRandomKeys,
} from '../../proof/crash/planted-bugs.ts'

function scenarioNamed(name: string): CrashScenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found === undefined) throw new Error(`No scenario "${name}".`)
  return found
}

const storage = memoryStorage
const kindsOf = ({ findings }: Awaited<ReturnType<typeof walkCrashes>>) => new Set(findings.map(({ kind }) => kind))

test('TST-03 the walk notices a commit in two pieces', async () => {
  const report = await walkCrashes(scenarioNamed('two turns of one call'), { storage, wrapStore: splittingCommits })
  expect(kindsOf(report)).toContain('stuck')
}, 60_000)

test('CKP-08 TST-03 the walk notices a fork in two pieces', async () => {
  const { findings } = await walkCrashes(scenarioNamed('fork of a finished run'), { storage, wrapStore: creatingInTwo })
  const half = findings.filter(({ message }) => message.startsWith('The fork is stored without the checkpoint'))
  expect(half.map(({ kind, crashes }) => [kind, ...crashes])).toEqual([
    ['lost', { write: 1, side: 'after' }],
    ['lost', { write: 2, side: 'before' }],
  ])
}, 60_000)

test('CKP-08 TST-03 the walk notices a fork that changes the run it comes from', async () => {
  const scenario = scenarioNamed('fork of a waiting run, approved')
  const report = await walkCrashes(scenario, { storage, wrapStore: tellingTheOriginal })
  expect(kindsOf(report)).toEqual(new Set(['original']))
}, 60_000)

test('AGT-02 TST-03 the walk notices a continuing run that is stored without its predecessor', async () => {
  const scenario = scenarioNamed('gone on with a prompt')
  const { findings } = await walkCrashes(scenario, { storage, wrapStore: forgettingTheReference })
  expect(findings.some(({ message }) => message.startsWith('The run is stored without the transcript'))).toBe(true)
}, 60_000)

test('AGT-02 TST-03 the walk notices that a predecessor is missing', async () => {
  const scenario = scenarioNamed('gone on with a prompt')
  const { findings } = await walkCrashes(scenario, { storage, wrapStore: forgettingTheOriginal })
  expect(findings.some(({ kind, crashes }) => kind === 'original' && crashes.length === 0)).toBe(true)
}, 60_000)

test('AGT-03 TST-03 the walk notices that a continuing run forgets its queue', async () => {
  const scenario = scenarioNamed('gone on, steered between two calls')
  const report = await walkCrashes(scenario, { storage, wrapStore: forgettingQueue })
  expect(report.findings.some(({ kind, message }) => kind === 'lost' && message.includes('(steer)'))).toBe(true)
}, 60_000)

test('TST-03 says that only a finished run can be continued', async () => {
  const scenario = { ...scenarioNamed('suspension and approval'), goesOnWith: 'And now?' }
  await expect(walkCrashes(scenario, { storage })).rejects.toThrow(
    'The run to go on from is waiting when it first rests. Expected one that is done.',
  )
})

test('TST-03 the walk notices effects performed before their commit', async () => {
  const report = await walkCrashes(scenarioNamed('one call'), { storage, wrapStore: acknowledgingEarly })
  expect(kindsOf(report)).toContain('intent')
}, 60_000)

test('TST-03 the walk notices that a started call is not recorded', async () => {
  const report = await walkCrashes(scenarioNamed('suspension and approval'), { storage, wrapStore: losingIntent })
  expect(kindsOf(report)).toContain('intent')
  expect(report.doubled).toBeGreaterThan(0)
}, 60_000)

test('TC-08 TST-03 the walk notices that a finished step is not recorded', async () => {
  const report = await walkCrashes(scenarioNamed('a call of three steps'), { storage, wrapStore: forgettingSteps })
  expect(kindsOf(report)).toContain('transcript')
}, 60_000)

test('TST-03 the walk notices a decision that is not stored', async () => {
  const report = await walkCrashes(scenarioNamed('denied'), { storage, wrapStore: forgettingDecisions })
  expect(kindsOf(report)).toContain('stuck')
}, 60_000)

test.each(['steered between two calls', 'steered twice, one at a time'])(
  'AGT-03 TST-03 the walk notices that a queue is forgotten: %s',
  async (name) => {
    const report = await walkCrashes(scenarioNamed(name), { storage, wrapStore: forgettingQueue })
    expect(report.findings.some(({ kind, message }) => kind === 'lost' && message.includes('(steer)'))).toBe(true)
  },
  60_000,
)

test.each(['steered between two calls', 'follow-up during the last answer'])(
  'AGT-03 TST-03 the walk notices that a message is processed twice: %s',
  async (name) => {
    const report = await walkCrashes(scenarioNamed(name), { storage, wrapStore: retellingMessages })
    expect(report.doubled).toBeGreaterThan(0)
  },
  60_000,
)

test('PH-03 TST-03 the walk notices a stored prompt that was rejected', async () => {
  const scenario = scenarioNamed('a rejected prompt')
  const build: CrashScenario['build'] = (environment) => ({ ...scenario.build(environment), plugins: [] })
  const report = await walkCrashes({ ...scenario, build }, { storage })
  expect(kindsOf(report)).toContain('kept')
}, 60_000)

test('TST-03 the walk notices random idempotency keys', async () => {
  const scenario = claimingIdempotence(scenarioNamed('one call'))
  expect((await walkCrashes(scenario, { storage })).findings).toEqual([])
  expect((await walkCrashes(withRandomKeys(scenario), { storage })).doubled).toBeGreaterThan(0)
}, 60_000)

test('TC-08 CKP-05 TST-03 the walk notices a renewal of a lease that another driver holds', async () => {
  const scenario = scenarioNamed('one call')
  const report = await walkCrashes(scenario, { storage, stops: true, wrapStore: renewingAnything })
  expect(report.findings.some(({ kind, crashes }) => kind === 'doubled' && crashes[0]?.side === 'stopped')).toBe(true)
})
