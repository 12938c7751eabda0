import { DatabaseSync } from 'node:sqlite'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { checkRuns, createAgent, type Plugin, type PromptMessage, tool } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { type Content, type FileContent, type ModelMessage, userMessage } from '../../../src/core/domain/message.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { quiet, testAgent } from '../../../proof/support/test-agent.ts'
import { toolNamed } from '../../../proof/support/tools.ts'
import { temporaryFolder } from './temporary-folder.ts'

const pdf = (text: string): FileContent => ({
  type: 'file',
  data: Buffer.from(`%PDF-1.7\n${text.repeat(100_000)}`).toString('base64'),
  mediaType: 'application/pdf',
})
const saying = (file: FileContent): PromptMessage => ({
  role: 'user',
  content: [{ type: 'text', text: 'Sum up.' }, file],
})

/** A file that processes open one after the other, and what their models and their reads were given. */
function place() {
  const folder = temporaryFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  const path = folder.file('runs.db')
  const seen: (readonly string[])[] = []
  const reads: string[] = []
  const asked: (readonly ModelMessage[])[] = []
  return {
    path,
    seen,
    reads,
    /** Opens the file as a new process would. */
    open(replies: readonly ScriptedReply[], plugins: readonly Plugin[] = []) {
      const store = sqliteStore(path, { secureDelete: true })
      onTestFinished(() => store.close())
      const inner = scripted((request) => {
        asked.push(request.messages)
        const blocks = request.messages.flatMap(({ content }): readonly Content[] => content)
        seen.push(blocks.flatMap((block) => (block.type === 'file' ? block.data : [])))
        const reply = replies[seen.length - 1] ?? 'Done.'
        return typeof reply === 'function' ? reply(request) : reply
      })
      const read: Store['read'] = (runId, isBare) => {
        reads.push(isBare === true ? 'bare' : 'whole')
        return store.read(runId, isBare)
      }
      const asking = tool({
        name: 'send',
        description: 'Sends.',
        input: z.object({}),
        needs: 'approval',
        execute: () => 'Sent.',
      })
      const reading = tool({
        name: 'read',
        description: 'Reads.',
        input: z.object({}),
        execute: () => ({ content: [pdf('r')] }),
      })
      const agent = createAgent({
        name: 'a',
        model: inner,
        tools: [asking, reading],
        plugins,
        store: { ...store, read },
      })
      return { store, agent, asked }
    },
    /** The content of the store: its files, and the texts of other rows that hold one. */
    rows() {
      using database = new DatabaseSync(path)
      const [found] = database.prepare('SELECT count(*) AS files FROM files').all()
      const long = ['inputs', 'inbox', 'log'].flatMap((table) =>
        database.prepare(`SELECT '${table}' AS found FROM ${table} WHERE length(body) > 50000`).all(),
      )
      return [Number(found?.['files']), ...long.map((row) => row['found'])]
    },
  }
}

test('PRV-11 a large file of a prompt, of steering or of a result is stored once, over turns, prompts and forks', async () => {
  const { open, rows, seen } = place()
  const { agent, store } = open([
    { toolCalls: [{ name: 'read', arguments: {} }] },
    { toolCalls: [{ name: 'read', arguments: {} }] },
  ])
  const session = agent.session('talk')
  const first = await (await session.prompt(saying(pdf('p')))).settled()
  const again = await session.prompt(saying(pdf('p')))
  await again.steer(saying(pdf('s')))
  await again.settled()
  const [info] = await (await agent.load(first.runId)).history()
  await (await agent.fork(first.runId, { from: info?.version ?? 0 })).settled()
  expect(rows()).toEqual([3])
  expect(seen.map((files) => files.length)).toEqual([1, 2, 3, 4, 5, 1])
  expect(new Set(seen.flat())).toEqual(new Set([pdf('p').data, pdf('r').data, pdf('s').data]))
  await store.delete({ session: 'talk', whereRead: 'keep', records: [] })
  expect(rows()).toEqual([1])
  for (const { id } of await store.list()) await store.delete(id)
  expect(rows()).toEqual([0])
})

test('PRV-11 a process that takes a run up reads its files when it asks a model, and not to list, answer or cancel', async () => {
  const { open, reads, seen } = place()
  const begun = open([{ toolCalls: [{ name: 'send', arguments: {} }] }])
  const waiting = begun.agent.start(saying(pdf('p')), { runId: 'run' })
  const { suspended } = await waiting.settled()
  await begun.agent.start(saying(pdf('q')), { runId: 'other', drive: false }).result()
  await begun.agent.close()
  reads.length = 0
  const { agent, store } = open(['Unused.', 'Sent it.'])
  const run = await agent.load('run')
  expect((await store.suspended()).length).toBe(1)
  await (await agent.load('other')).cancel()
  await run.decide(suspended.map(({ callId }) => ({ target: callId, action: 'resume' })))
  expect(reads).not.toContain('whole')
  const result = await run.settled()
  expect([result.text, reads.filter((read) => read === 'whole').length]).toEqual(['Sent it.', 1])
  expect(seen.at(-1)).toEqual([pdf('p').data])
  expect(result.messages[0]).toMatchObject({ content: saying(pdf('p')).content })
  expect((await run.messages())[0]).toMatchObject({ content: saying(pdf('p')).content })
})

const polite = (plugin: Omit<Plugin, 'name'>): Plugin => ({ name: 'polite', ...plugin })

test.each<[string, Plugin, 'prompt' | 'steer']>([
  ['prompt that a filter rejects', polite({ filterInput: () => ({ reject: 'No.' }) }), 'prompt'],
  [
    'prompt that a context builder replaces',
    polite({ buildContext: () => ({ system: '', messages: [userMessage('Go.', 0)] }) }),
    'prompt',
  ],
  [
    'steering message that a filter rejects',
    polite({ filterInput: (_, { kind }) => (kind === 'steer' ? { reject: 'No.' } : undefined) }),
    'steer',
  ],
])('PRV-11 a file of a %s is in no file of the store', async (_, plugin, kind) => {
  const { open, rows, path } = place()
  const { agent, store } = open([], [plugin])
  const run = agent.start(kind === 'prompt' ? saying(pdf('p')) : 'Go.', { runId: 'run' })
  if (kind === 'steer') await run.steer(saying(pdf('p')))
  await run.settled()
  expect(rows()).toEqual([0])
  await store.close()
  expect(readFileSync(path).includes(pdf('p').data.slice(1_000, 1_100))).toBe(false)
})

/** Two parts of 1.5 million characters, and a third one. */
const long = pdf('long'.repeat(7))

test.each([
  ['all of it', 'DELETE FROM files'],
  ['its first part', 'DELETE FROM files WHERE part = 0'],
  ['its last part', 'DELETE FROM files WHERE part = 2'],
])(
  'PRV-11 CKP-07 a model and whoever checks the runs are told of a file that the store has lost: %s',
  async (_, lose) => {
    const { open, path } = place()
    const begun = open([{ toolCalls: [{ name: 'send', arguments: {} }] }])
    const waiting = begun.agent.start(saying(long), { runId: 'run' })
    const { suspended } = await waiting.settled()
    await begun.agent.start(saying(long), { runId: 'new', drive: false }).result()
    await begun.agent.close()
    using database = new DatabaseSync(path)
    expect(database.prepare('SELECT max(part) AS last FROM files').get()).toEqual({ last: 2 })
    database.exec(lose)
    const told = { type: 'text', text: '[A file of type application/pdf was left out: the store has lost its bytes.]' }
    const { agent, store, asked } = open(['Unused.', 'I cannot see it.'])
    const { checked, problems } = await checkRuns(store, agent)
    const message = `${told.text} Restore the store from a copy to recover them.`
    expect([checked, problems]).toEqual([
      2,
      [
        { runId: 'new', status: 'running', code: 'file_lost', message },
        { runId: 'run', status: 'waiting', code: 'file_lost', message },
      ],
    ])
    const run = await agent.load('run')
    await run.approve(suspended.map(({ callId }) => callId)[0])
    expect((await run.settled()).text).toBe('I cannot see it.')
    expect((await run.messages())[0]).toMatchObject({ content: [{ text: 'Sum up.' }, told] })
    expect(asked.at(-1)?.[0]).toMatchObject({ content: [{ text: 'Sum up.' }, told] })
  },
)

test('PRV-11 a plugin that is being asked reads whole files, also after the store has refused a commit', async () => {
  const { path } = place()
  const inner = sqliteStore(path)
  onTestFinished(() => inner.close())
  let isRefused = false
  const asked = Promise.withResolvers<void>()
  const asking = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const store: Store = {
    ...inner,
    async commit(commit) {
      const asks = commit.calls.some(({ record }) => record.suspension !== undefined)
      if (asks) await inner.decide('run', [{ target: '1.c1', action: 'cancel', reason: 'No.' }], 1)
      if (isRefused) {
        // The plugin looks before the run has gone on from its last commit.
        held.resolve()
        await quiet()
      }
      const receipt = await inner.commit(commit)
      isRefused = 'refused' in receipt
      return receipt
    },
  }
  const seen: unknown[] = []
  const looking: Plugin = {
    name: 'looking',
    async beforeTool({ call: begun, messages }) {
      if (begun.toolName !== 'look') return
      asked.resolve()
      await held.promise
      seen.push(messages()[0])
    },
  }
  const ask = toolNamed('ask', async (_, { suspend }) => {
    await asking.promise
    return suspend()
  })
  const replies = [calls(call('c1', 'ask'), call('c2', 'look')), 'Bye.']
  const { agent } = testAgent({ store, replies, tools: [ask, toolNamed('look', () => 'Looked.')], plugins: [looking] })
  const run = agent.start(saying(pdf('p')), { runId: 'run' })
  const end = run.settled()
  await asked.promise
  expect(await run.approve('1.c1')).toMatchObject({ answer: 'kept' })
  await quiet()
  asking.resolve()
  await end
  expect(seen).toMatchObject([{ content: saying(pdf('p')).content }])
})
