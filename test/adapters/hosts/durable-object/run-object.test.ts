import { expect, test, vi } from 'vitest'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'
import { createAgent, tool, type Tool } from '../../../../src/index.ts'
import { runObject, type RunObjectParts } from '../../../../src/adapters/hosts/durable-object/index.ts'
import { type LocalStorage, localStorage } from '../../../../proof/support/object-storage.ts'
import { call, calls } from '../../../../proof/support/say.ts'
import { temporaryFolder } from '../../stores/temporary-folder.ts'

const act = tool({
  name: 'act',
  description: 'Acts.',
  input: { type: 'object' },
  needs: 'approval',
  execute: () => 'did',
})

interface Opened {
  readonly storage: LocalStorage
  readonly tools?: readonly Tool[]
  readonly access?: Omit<RunObjectParts, 'agent'>
}

function open({ storage, tools = [act], access = { authorize: () => true } }: Opened) {
  const model = scripted([calls(call('c1', 'act')), 'Done.'])
  const Runs = runObject(({ store }) => ({ agent: createAgent({ name: 'clerk', model, tools, store }), ...access }))
  const object = new Runs({ storage }, undefined)
  const ask = async (path: string, body?: object) => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const headers = { 'content-type': 'application/json' }
    const response = await object.fetch(new Request(`http://object${path}`, { ...init, headers }))
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const wake = () => {
    storage.goOff()
    return object.alarm()
  }
  const statusOf = async () => (await ask('/runs/run')).body['status']
  return { wake, ask, statusOf }
}

const start = { prompt: 'Act.', runId: 'run' }
const approve = { decisions: [{ target: '1.c1', action: 'resume', mode: 'replay' }] }

test('SCALE-02 DEC-07 a request stores, an alarm drives, and the next alarm carries out an approval', async () => {
  const storage = localStorage()
  const { wake, ask, statusOf } = open({ storage })
  const before = Date.now()
  expect(await ask('/runs', start)).toEqual({ status: 201, body: { runId: 'run', status: 'running' } })
  expect(storage.alarm).toBeGreaterThanOrEqual(before)
  expect(storage.alarm).toBeLessThanOrEqual(Date.now())
  await wake()
  expect([await statusOf(), storage.alarm]).toEqual(['waiting', undefined])
  const { body } = await ask('/runs/run/decisions', approve)
  expect(body).toMatchObject({ receipts: [{ answer: 'applied' }], drive: 'elsewhere' })
  expect(storage.alarm).toBeLessThanOrEqual(Date.now())
  await wake()
  expect([await statusOf(), storage.alarm]).toEqual(['done', undefined])
})

test('SCALE-02 CKP-05 an object that starts again continues its work at once', async () => {
  using folder = temporaryFolder()
  const path = folder.file('object.db')
  const never = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<void>()
  const hanging = tool({
    name: 'act',
    description: 'Acts.',
    input: { type: 'object' },
    effects: 'none',
    execute: () => {
      begun.resolve()
      return never.promise
    },
  })
  const first = { storage: localStorage(path) }
  const before = open({ ...first, tools: [hanging] })
  await before.ask('/runs', start)
  const driving = before.wake()
  await begun.promise
  // An alarm is set while an effect is open, so that the platform starts the object again.
  expect(first.storage.alarm).toBeDefined()
  const storage = localStorage(path)
  const quick = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: () => 'did' })
  const after = open({ storage, tools: [{ ...quick, effects: 'none' }] })
  await after.wake()
  expect(await after.statusOf()).toBe('done')
  never.resolve('too late')
  await driving.catch(() => undefined)
  expect(await after.statusOf()).toBe('done')
})

test('SCALE-02 an alarm is set for the expiry of a question', async () => {
  const storage = localStorage()
  const expiresAt = Date.now() + 3_600_000
  const asking = tool({
    name: 'act',
    description: 'Asks.',
    input: { type: 'object' },
    execute: (_, { suspend }) => suspend({ message: 'Shall I?', expiresAt }),
  })
  const { wake, ask, statusOf } = open({ storage, tools: [asking] })
  await ask('/runs', start)
  await wake()
  expect([await statusOf(), storage.alarm]).toEqual(['waiting', expiresAt])
})

test('SCALE-02 tries a run that cannot be driven here again after a minute', async () => {
  using folder = temporaryFolder()
  const path = folder.file('object.db')
  const { wake, ask } = open({ storage: localStorage(path) })
  await ask('/runs', start)
  await wake()
  await ask('/runs/run/decisions', approve)
  const storage = localStorage(path)
  const without = open({ storage, tools: [] })
  const before = Date.now()
  await without.wake()
  expect(storage.alarm).toBeGreaterThanOrEqual(before + 60_000)
  expect(await without.statusOf()).toBe('waiting')
})

test('SCALE-02 a read sets no alarm', async () => {
  const storage = localStorage()
  const { wake, ask } = open({ storage })
  await ask('/runs', start)
  await wake()
  const { alarms } = storage
  for (const path of ['/runs', '/runs/run', '/runs/run/history', '/suspended'])
    expect((await ask(path)).status).toBe(200)
  expect(storage.alarms).toBe(alarms)
})

const writes: readonly (readonly [path: string, body?: object])[] = [
  ['/runs', start],
  ['/runs/run/decisions', approve],
  ['/runs/run/cancel', {}],
  ['/runs/run/steer', { prompt: 'Stop.' }],
]
const reads: readonly (readonly [path: string, body?: object])[] = [['/runs'], ['/runs/run'], ['/suspended']]
const accesses = [
  { name: 'nobody is named', access: {}, refused: [...writes, ...reads] },
  { name: 'the credentials are wrong', access: { authorize: () => false }, refused: [...writes, ...reads] },
  { name: 'only reads are opened', access: { reads: 'anyone' }, refused: writes },
] as const

test.each(accesses)(
  'SCALE-02 SRV-01 an object writes nothing and sets no alarm where $name',
  async ({ access, refused }) => {
    const storage = localStorage()
    const { ask } = open({ storage, access })
    for (const [path, body] of refused) expect([path, (await ask(path, body)).status]).toEqual([path, 403])
    expect(storage.alarms).toBe(0)
    expect(storage.database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()).toEqual({ tables: 0 })
  },
)

test.each([
  ['an id of 1 MB in a body', '/runs', { ...start, runId: 'a'.repeat(1_000_000) }, 400],
  ['an id of 1 MB in a path', `/runs/${'a'.repeat(1_000_000)}`, undefined, 404],
  ['a body that is no start', '/runs', { text: 'Act.' }, 400],
])('SCALE-02 an object refuses %s', async (_, path, body, status) => {
  const answer = await open({ storage: localStorage() }).ask(path, body)
  expect(answer).toMatchObject({ status, body: { code: expect.any(String), message: expect.any(String) } })
})

test('SCALE-02 an object whose storage throws answers with a code, and its alarm fails, so that it is retried', async () => {
  const storage = localStorage()
  const { wake, ask } = open({ storage })
  await ask('/runs', start)
  const exec = vi.spyOn(storage.sql, 'exec').mockImplementation(() => {
    throw new Error('disk I/O error: SQLITE_IOERR')
  })
  expect(await ask('/runs/run')).toMatchObject({ status: 503, body: { code: 'store_unavailable' } })
  await expect(wake()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(storage.alarm).toBeGreaterThan(Date.now() - 60_000)
  exec.mockRestore()
  await wake()
  expect((await ask('/runs/run')).body['status']).toBe('waiting')
})
