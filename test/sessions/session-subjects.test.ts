import { expect, test } from 'vitest'
import { testAgent } from '../../proof/support/test-agent.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import type { Store } from '../../src/ports/store.ts'
import { temporaryFolder } from '../stores/temporary-folder.ts'

/** A store whose first reads of a session were made before anybody began it. */
function lateStore(inner: Store, reads: number): Store {
  let made = 0
  return { ...inner, session: async (id) => (made++ < reads ? undefined : inner.session(id)) }
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

test.for(stores)(
  'AGT-01 of two subjects that begin one session id at one moment the second is refused and sees nothing (%s)',
  async ([, open]) => {
    using opened = open()
    const ada = testAgent({ store: opened.one, replies: ['Ada hears.', 'Again.'] })
    await (await ada.agent.session('talk', { subject: 'ada' }).prompt('Hi')).settled()
    const bob = testAgent({ store: lateStore(opened.two, 1), replies: ['Never.'], process: 'p2' })
    await expect(bob.agent.session('talk', { subject: 'bob' }).prompt('My secret')).rejects.toMatchObject({
      name: 'UsageError',
      code: 'other_subject',
      message: expect.not.stringContaining('ada'),
    })
    expect(bob.prompts).toEqual([])
    expect(await ada.agent.session('talk', { subject: 'ada' }).state()).toMatchObject({ runs: 1, subject: 'ada' })
  },
)

test('AGT-01 each method of a session refuses another subject, and changes nothing', async () => {
  const { agent } = testAgent({ replies: ['Hello.', 'Again.'] })
  const own = agent.session('talk', { subject: 'ada' })
  await (await own.prompt('Hi')).settled()
  const before = await own.state()
  const other = agent.session('talk', { subject: 'bob' })
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
  for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'other_subject' })
  expect(await agent.session('talk').state()).toEqual(before)
})

test('AGT-01 a session that was begun without a subject is that of its own id, and no subject sees every session', async () => {
  const { agent } = testAgent({ replies: ['Hello.', 'Again.'] })
  await (await agent.session('talk').prompt('Hi')).settled()
  expect(await agent.session('talk', { subject: 'talk' }).state()).toMatchObject({ runs: 1 })
  await expect(agent.session('talk', { subject: 'ada' }).state()).rejects.toMatchObject({ code: 'other_subject' })
})
