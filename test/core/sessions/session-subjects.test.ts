import { expect, test } from 'vitest'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'
import { FoundRecords } from '../../../src/core/domain/records/found-records.ts'

/** A store whose first reads of a session were made before anybody began it. */
function lateStore(inner: Store, reads: number): Store {
  let made = 0
  return {
    ...inner,
    records: async (asked) =>
      made++ < reads
        ? new FoundRecords(
            asked,
            asked.map(() => []),
          )
        : inner.records(asked),
  }
}

/** Two stores of the same rows, as two processes have them. */
const stores = [
  [
    'memory',
    () => {
      const store = memoryStore()
      return { one: store, two: store, [Symbol.dispose]: () => undefined }
    },
  ],
  [
    'SQLite',
    () => {
      const folder = temporaryFolder()
      const open = () => sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })
      const [one, two] = [open(), open()]
      const dispose = () => {
        void one.close()
        void two.close()
        folder[Symbol.dispose]()
      }
      return { one, two, [Symbol.dispose]: dispose }
    },
  ],
] as const

/** Whose session it is, and somebody it is not. */
const owners = [
  { code: 'other_subject', own: { subject: 'ada' }, other: { subject: 'bob' } },
  { code: 'other_labels', own: { labels: { tenant: 'ada' } }, other: { labels: { tenant: 'bob' } } },
] as const

test.for(stores.flatMap((store) => owners.map((owner) => [owner.code, ...store, owner] as const)))(
  'AGT-01 refuses with %s the second of two that begin one session id at once, and shows it nothing (%s)',
  async ([code, , open, { own, other }]) => {
    using opened = open()
    const ada = testAgent({ store: opened.one, replies: ['Ada hears.', 'Again.'] })
    await (await ada.agent.session('talk', own).prompt('Hi')).settled()
    const bob = testAgent({ store: lateStore(opened.two, 1), replies: ['Never.'], process: 'p2' })
    await expect(bob.agent.session('talk', other).prompt('My secret')).rejects.toMatchObject({
      name: 'UsageError',
      code,
      message: expect.not.stringContaining('ada'),
    })
    expect(bob.prompts).toEqual([])
    expect(await ada.agent.session('talk', own).state()).toMatchObject({ runs: 1 })
  },
)

test.for(owners)('AGT-01 each method of a session refuses with $code, and changes nothing', async (owner) => {
  const { agent } = testAgent({ replies: ['Hello.', 'Again.'] })
  const own = agent.session('talk', owner.own)
  await (await own.prompt('Hi')).settled()
  const before = await own.state()
  const other = agent.session('talk', owner.other)
  const asked = [
    () => other.state(),
    () => other.prompt('Hi'),
    () => other.continue(),
    () => other.rerun(),
    () => other.branch({ prompt: 'Hi' }),
    () => other.steer('Hi'),
    () => other.followUp('Hi'),
    () => other.cancel(),
    () => other.reset(),
    () => other.messages(),
    () => other.usage(),
    () => other.save(),
    () => other.restore([{ role: 'user', content: 'Hi' }]),
    () => other.rotate(),
    () => other.rotateIfIdle(0),
    () => other.delete(),
  ]
  for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: owner.code })
  expect(await agent.session('talk').state()).toEqual(before)
})

test('AGT-01 a session begun without a subject belongs to its own id, and an agent without a subject sees every session', async () => {
  const { agent } = testAgent({ replies: ['Hello.', 'Again.'] })
  await (await agent.session('talk').prompt('Hi')).settled()
  expect(await agent.session('talk', { subject: 'talk' }).state()).toMatchObject({ runs: 1 })
  await expect(agent.session('talk', { subject: 'ada' }).state()).rejects.toMatchObject({ code: 'other_subject' })
})

test("AGT-01 each run of a session has the session's labels, however it begins, and a prompt adds its own", async () => {
  const { agent } = testAgent({ replies: ['One.', 'Two.', 'Three.', 'Four.'] })
  const labels = { tenant: 'ada' }
  const talk = agent.session('talk', { labels, metadata: { plan: 'free', tenant: 'none' } })
  const { runId } = await talk.restore([{ role: 'user', content: 'Hi' }])
  const labelsOf = async (id: string) => (await agent.load(id)).labels()
  const label = async (begin: Promise<{ readonly id: string; settled(): Promise<unknown> }>) => {
    const run = await begin
    await run.settled()
    return labelsOf(run.id)
  }
  expect(await labelsOf(runId)).toEqual(labels)
  expect(await label(talk.prompt('And?', { labels: { topic: 'rain' } }))).toEqual({ topic: 'rain', ...labels })
  expect(await label(talk.rerun())).toEqual({ topic: 'rain', ...labels })
  expect(await label(talk.prompt('So?', { labels: { tenant: 'bob' } }))).toEqual(labels)
  const id = await talk.rotate()
  expect((await talk.state())?.metadata).toEqual({ plan: 'free', topic: 'rain', ...labels })
  await expect(agent.session(id, { labels: { tenant: 'bob' } }).state()).rejects.toMatchObject({ code: 'other_labels' })
  expect(await label(talk.prompt('Then?'))).toEqual(labels)
})

test('AGT-01 a session belongs to its labels even before its first run', async () => {
  const { agent } = testAgent({ replies: ['Hello.'] })
  await agent.session('talk', { labels: { tenant: 'ada' } }).followUp('Hi')
  const asked = agent.session('talk', { labels: { tenant: 'bob' } }).messages()
  await expect(asked).rejects.toMatchObject({ code: 'other_labels', message: expect.not.stringContaining('ada') })
})

test('AGT-01 a session begun without labels belongs to no tenant until one of its prompts adds labels', async () => {
  const { agent } = testAgent({ replies: ['Hello.', 'Again.'] })
  await (await agent.session('talk').prompt('Hi')).settled()
  const ada = agent.session('talk', { labels: { tenant: 'ada' } })
  await expect(ada.prompt('Hi')).rejects.toMatchObject({ code: 'other_labels' })
  await (await agent.session('talk').prompt('Hi', { labels: { tenant: 'ada' } })).settled()
  expect(await ada.state()).toMatchObject({ runs: 2 })
})

test.for([
  ['no texts', { tenant: 1 }, 'bad_option'],
  ['twenty-one', Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`l${index}`, 'x'])), 'bad_option'],
  ['a list', ['ada'], 'bad_option'],
] as const)('AGT-01 refuses session labels that are %s before anything is read', ([, labels, code]) => {
  const { agent } = testAgent({ replies: [] })
  expect(() => agent.session('talk', { labels: labels as never })).toThrow(expect.objectContaining({ code }))
})

test('AGT-01 a session whose subject is its own id keeps it if a handle that names it rotates', async () => {
  const { agent } = testAgent({ replies: ['Hello.', 'Again.'] })
  await (await agent.session('talk').prompt('Hi')).settled()
  const own = agent.session('talk', { subject: 'talk' })
  await own.rotate()
  expect(await own.state()).toMatchObject({ id: own.id, subject: 'talk' })
})
