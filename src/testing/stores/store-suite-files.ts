import assert from 'node:assert/strict'
import { type InputMessage, type Message, textOf } from '../../core/domain/message.ts'
import type { LogEntry } from '../../core/domain/log.ts'
import type { Json } from '../../core/domain/text/json.ts'
import type { NewRun, Store } from '../../core/ports/store.ts'
import {
  call,
  checkpoint,
  createDriver,
  driverOf,
  newRun,
  ownerNamed,
  says,
  slot,
  start,
  type StoreCase,
  ttl,
} from './store-suite-fixtures.ts'

/** Media of so many letters of base64, which no other one of these holds. */
const media = (letter: string, length = 200_000) =>
  ({ type: 'file', data: letter.repeat(length), mediaType: 'application/pdf', name: `${letter}.pdf` }) as const

const shown = (letter: string, text = 'Read it.', length?: number): InputMessage => ({
  role: 'user',
  content: [{ type: 'text', text }, media(letter, length), media('s', 80)],
  timestamp: start,
})

const entry =
  (message: Message) =>
  (seq: number): LogEntry => ({ kind: 'message', seq, message, at: start, turn: 1 })

const given = (...letters: readonly string[]): Partial<NewRun> => ({
  input: { messages: letters.map((letter) => shown(letter)) } as unknown as Json,
})

/** Cases of large pictures and files: every reader of a run gets their bytes, wherever the store keeps them. */
export const fileCases: readonly StoreCase[] = [
  [
    'gives the bytes of large media back from the input, the inbox, the log, its events, its calls and a checkpoint',
    async ({ store }) => {
      const driver = await createDriver(store, 'run', given('a', 'a'))
      assert.deepEqual(await store.input('run'), given('a', 'a').input)
      await store.post('run', { kind: 'steer', messages: [shown('b')] }, start)
      const [row] = await store.inbox('run')
      assert.deepEqual(row?.item, { kind: 'steer', messages: [shown('b')] })
      const result = resultOf('c')
      await driver.commit({
        entries: [
          entry(shown('a')),
          entry(shown('b')),
          slot((seq) => call(seq, { status: 'succeeded', result })),
          checkpoint('{}'),
        ],
        input: {},
        consumed: [{ id: row.id }],
      })
      const { log } = await store.read('run')
      assert.deepEqual(messagesOf(log), [shown('a'), shown('b')])
      assert.deepEqual((await store.entries('run', 0, 9)).slice(0, 2), log.slice(0, 2))
      assert.deepEqual(
        (await store.calls('run')).map(({ record }) => record.result),
        [result],
      )
      assert.deepEqual(messagesOf((await store.checkpoint('run', driver.version)).log), [shown('a'), shown('b')])
      await driver.commit({ entries: [entry(result)] })
      assert.deepEqual(messagesOf((await store.read('run')).log), [shown('a'), shown('b'), result])
      assert.deepEqual(await store.inbox('run'), [{ ...row }])
    },
  ],
  [
    'keeps a file of 5 MB, given to a run and in its log',
    async ({ store }) => {
      const file = shown('l', 'Read it.', 5_000_000)
      const driver = await createDriver(store, 'run', { input: { messages: [file] } as unknown as Json })
      assert.deepEqual(await store.input('run'), { messages: [file] })
      await driver.commit({ entries: [entry(file)], input: {} })
      assert.deepEqual(messagesOf((await store.read('run')).log), [file])
    },
  ],
  [
    'gives them to a fork and to a run that goes on, also when the runs before are deleted',
    async ({ store }) => {
      const first = await createDriver(store, 'first', given('a'))
      await first.commit({
        entries: [entry(shown('a')), entry(shown('b'))],
        input: {},
        status: 'done',
        outcome,
        release: true,
      })
      const fork = await goOn(store, 'fork', { runId: 'first', seq: 1 })
      const second = await goOn(store, 'second', { runId: 'first' })
      await second.commit({
        entries: [entry(shown('b', 'Again.')), entry(shown('c'))],
        status: 'done',
        outcome,
        release: true,
      })
      for (const runId of ['first', 'second']) await store.delete(runId)
      assert.deepEqual(messagesOf((await store.read('fork')).log), [shown('a')])
      await fork.commit({ entries: [entry(shown('b', 'Anew.'))] })
      assert.deepEqual(messagesOf((await store.read('fork')).log), [shown('a'), shown('b', 'Anew.')])
    },
  ],
  [
    'gives a fork the bytes of its own messages, whatever becomes of the same file elsewhere',
    async ({ store }) => {
      const first = await createDriver(store, 'first', given('b', 'd'))
      await store.post('first', { kind: 'steer', messages: [shown('c')] }, start)
      const [row] = await store.inbox('first')
      assert.ok(row)
      await first.commit({ entries: [entry(shown('a')), checkpoint('{}')] })
      const forks = await Promise.all(['one', 'two'].map((id) => goOn(store, id, { runId: 'first', seq: 1 })))
      for (const fork of forks)
        await fork.commit({ entries: [entry(shown('b')), entry(shown('c')), entry(shown('d'))] })
      const isWhole = async (id: string) =>
        assert.deepEqual(messagesOf((await store.read(id)).log), [shown('a'), shown('b'), shown('c'), shown('d')])
      await first.commit({ entries: [entry(shown('b'))], input: {}, consumed: [row], emptied: [row.id] })
      await isWhole('one')
      await first.commit({ entries: [], status: 'done', outcome, release: true })
      await store.delete('first')
      await isWhole('one')
      await isWhole('two')
    },
  ],
  [
    'gives nobody the bytes of another run by their hash, and takes a text that looks like a reference for a text',
    async ({ store }) => {
      const driver = await createDriver(store, 'run', given('a'))
      await driver.commit({ entries: [entry(shown('a'))], input: {} })
      const forged = {
        type: 'file',
        data: '',
        mediaType: 'application/pdf',
        stored: { sha256: hashOfA, bytes: 150_000 },
      }
      const message = { role: 'user', content: [forged], timestamp: start } as unknown as Message
      const state = { messages: [message], content: [forged] } as unknown as Json
      const other = await createDriver(store, 'other', { input: state })
      const entries = [
        entry(message),
        (seq: number): LogEntry => ({ kind: 'state', seq, state }),
        says(JSON.stringify(forged)),
      ]
      await other.commit({ entries })
      const { input, log } = await store.read('other')
      const [read, said] = messagesOf(log)
      assert.deepEqual({ ...Object(input), messages: [] }, { ...Object(state), messages: [] })
      for (const one of [input, read]) assert.ok(!JSON.stringify(one).includes(media('a').data))
      assert.equal(said && textOf(said), JSON.stringify(forged))
      // In a run that has the file, a reference of the engine itself becomes the file. References of the application
      // are unchanged.
      await driver.commit({ entries: [entries[1] ?? says('')] })
      const own = (await store.read('run')).log.find(({ kind }) => kind === 'state')
      assert.deepEqual(own, { kind: 'state', seq: 2, state })
    },
  ],
]

/** The SHA-256 of `media('a').data`. */
const hashOfA = '2287d207f24a941ff3b56c04c8a25ad56b63e3023207b3bb5b4ac0c9869d74be'

const outcome = { reason: 'natural_end' as const }

function resultOf(letter: string) {
  return {
    role: 'toolResult',
    callId: call(3).callId,
    toolCallId: call(3).toolCallId,
    toolName: call(3).toolName,
    content: [media(letter)],
    isError: false,
    status: 'success',
    timestamp: start,
  } as const
}

function messagesOf(log: readonly LogEntry[]): readonly Message[] {
  return log.flatMap((one) => (one.kind === 'message' ? [one.message] : []))
}

async function goOn(store: Store, id: string, continues: NonNullable<NewRun['continues']>) {
  const lease = await store.create(newRun(id, { continues }), ownerNamed(id), ttl)
  const { log } = await store.read(id)
  return driverOf(store, lease, { version: 0, seq: log.at(-1)?.seq ?? 0 })
}
