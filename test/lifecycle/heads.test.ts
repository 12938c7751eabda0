import { statSync } from 'node:fs'
import { createActor } from 'xstate'
import { expect, test } from 'vitest'
import { dumpStore } from '../../proof/fixtures/dump-store.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { userMessage } from '../../src/core/domain/message.ts'
import type { Commit, Store } from '../../src/core/ports/store.ts'
import { SnapshotError } from '../../src/index.ts'
import { changedStart } from '../../src/testing/crash/changed-start.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../adapters/stores/temporary-folder.ts'

/** Every text of a state that a store is handed: documents, those of checkpoints, and those of calls. */
function watched(store: Store) {
  const texts: string[] = []
  const seen = ({ append, document, calls: rows }: Pick<Commit, 'append' | 'document' | 'calls'>) => {
    const checkpoints = append.flatMap((entry) => (entry.kind === 'checkpoint' ? entry.document : []))
    texts.push(...[document, ...checkpoints, ...rows.map((row) => row.document)].filter((text) => text !== null))
  }
  const watching: Store = {
    ...store,
    create: (run, owner, ttlMs, first) => {
      const begun = changedStart(first, (commit) => {
        seen(commit)
        return commit
      })
      return store.create(run, owner, ttlMs, begun)
    },
    commit: (commit) => {
      seen(commit)
      return store.commit(commit)
    },
  }
  return { store: watching, texts }
}

const next = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** A run of many turns, to which a tool of its first turn says something. */
async function spokenTo(given: Store, text: string, turns: number, options: Partial<TestAgentOptions> = {}) {
  const { store, texts } = watched(given)
  const act = toolNamed(
    'act',
    async (_, { callId }) => {
      if (callId !== '1.c1') return 'act done'
      await store.post(runId, { kind: 'followUp', messages: [userMessage(text, start)] }, start)
      while ((await store.inbox(runId, { isOpen: true })).length > 0) await next()
      return 'act done'
    },
    { effects: 'none' },
  )
  const replies = [...Array.from({ length: turns }, (_, turn) => calls(call(`c${turn + 1}`, 'act'))), 'One.', 'Two.']
  const { agent } = testAgent({ replies, tools: [act], store, ...options })
  const run = agent.start('Hi', { runId })
  const { outcome } = await run.settled()
  return { outcome, texts, store, run, agent }
}

const bytes = 200_000

test('AGT-03 CKP-04 no stored document contains a follow-up of 200 kB that waits for 20 turns', async () => {
  const { outcome, texts, store } = await spokenTo(memoryStore(), 'long '.repeat(bytes / 5), 20)
  expect(outcome).toEqual({ reason: 'natural_end' })
  expect(texts.filter((text) => text.includes('long long'))).toEqual([])
  expect(texts.filter((text) => text.includes('"queue":[{"kind":"followUp","inboxId":1')).length).toBeGreaterThan(20)
  expect(texts.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(bytes)
  expect((await transcriptOf(store, runId)).filter((line) => line.startsWith('user: long'))).toHaveLength(1)
})

test('AGT-03 CKP-04 a file grows by a follow-up and its log position, however many turns the follow-up waits', async () => {
  const sizeWith = async (text: string) => {
    using place = temporaryFolder()
    const path = place.file('runs.db')
    const { store } = await spokenTo(sqliteStore(path, { synchronous: 'normal' }), text, 20)
    await store.close()
    return statSync(path).size
  }
  const grown = (await sizeWith('long '.repeat(bytes / 5))) - (await sizeWith('short'))
  expect(grown / bytes).toBeGreaterThan(1.9)
  expect(grown / bytes).toBeLessThan(2.3)
})

const marks = {
  input: 'MARK-INPUT',
  built: 'MARK-BUILT',
  planned: 'MARK-PLANNED',
  steered: 'MARK-STEERED',
  followed: 'MARK-FOLLOWED',
  result: 'MARK-RESULT',
  posted: 'MARK-POSTED',
  answered: 'MARK-ANSWERED',
} as const

test("CKP-04 RUN-10 no document contains a message's text, from any sender", async () => {
  const { store, texts } = watched(memoryStore())
  const say = async (kind: 'steer' | 'followUp', text: string) => {
    await store.post(runId, { kind, messages: [userMessage(text, start)] }, start)
    while ((await store.inbox(runId, { isOpen: true })).length > 0) await next()
  }
  const note = async (kind: string) => {
    const message = { role: 'extension', kind, data: marks.posted, timestamp: start } as const
    await store.post(runId, { kind: 'extension', message }, start)
    while ((await store.inbox(runId, { isOpen: true })).length > 0) await next()
  }
  const act = toolNamed(
    'act',
    async () => {
      await say('followUp', marks.followed)
      await say('steer', marks.steered)
      return marks.result
    },
    { effects: 'none', needs: 'approval' },
  )
  const { agent } = testAgent({
    replies: [calls(call('c1', 'act')), marks.answered, 'Two.', 'Three.'],
    tools: [act],
    store,

    plugins: [
      {
        name: 'asking',
        runStart: () => note('started'),
        beforeModel: ({ addMessages }) => addMessages([userMessage(marks.planned, start)]),
        reviewCall: () => undefined,
      },
      { name: 'slow', filterInput: () => note('filtered').then(() => ({ warn: 'Careful.' })) },
      {
        name: 'builder',
        buildContext: async () => {
          await note('built')
          return { system: 'Be brief.', messages: [userMessage(marks.built, start)] }
        },
      },
      { name: 'hooks', beforeRun: () => note('first'), beforeTurn: () => note('turned') },
    ],
  })
  const run = agent.start(marks.input, { runId })
  await run.settled()
  await run.approve()
  const { outcome } = await run.settled()
  expect(outcome).toEqual({ reason: 'natural_end' })
  expect(texts.length).toBeGreaterThan(15)
  for (const mark of Object.values(marks)) {
    expect({ mark, found: texts.filter((text) => text.includes(mark)) }).toEqual({ mark, found: [] })
  }
  const transcript = (await transcriptOf(store, runId)).join('\n')
  for (const mark of [marks.built, marks.steered, marks.followed, marks.result]) expect(transcript).toContain(mark)
})

const refusing = {
  plugins: [
    {
      name: 'strict',
      filterInput: (messages: readonly unknown[]) =>
        JSON.stringify(messages).includes('SECRET') ? { reject: 'No secrets.' } : undefined,
    },
  ],
} satisfies Partial<TestAgentOptions>

test('PH-03 the commit that refuses a message leaves none of its text in the store', async () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  const { outcome, store } = await spokenTo(sqliteStore(path, { synchronous: 'normal' }), 'A SECRET.', 1, refusing)
  expect(outcome).toEqual({ reason: 'natural_end' })
  expect((await store.inbox(runId, { kinds: ['steer', 'followUp'] })).map(({ item }) => item)).toEqual([
    { kind: 'followUp', messages: [] },
  ])
  expect(dumpStore(path).rows).not.toContain('SECRET')
  await store.close()
})

test('CKP-08 PH-03 a fork reads the messages queued at its checkpoint, and none that was refused since', async () => {
  const heard = await spokenTo(memoryStore(), 'Then sweep.', 1)
  const refused = await spokenTo(memoryStore(), 'A SECRET.', 1, refusing)
  for (const { run, agent, store, said } of [
    { ...heard, said: ['user: Then sweep.'] },
    { ...refused, said: [] },
  ]) {
    const versions: number[] = []
    for (const { version } of await run.history()) {
      const { checkpoint } = await store.checkpoint(runId, version)
      if (checkpoint?.document.includes('"queue":[') === true) versions.push(version)
    }
    expect(versions.length).toBeGreaterThan(0)
    for (const version of versions) {
      const fork = await agent.fork(runId, { from: version, runId: `fork-${version}` })
      expect((await store.inbox(fork.id, { isOpen: true })).length).toBe(0)
      await fork.settled()
      const users = (await transcriptOf(store, fork.id)).filter((line) => line.startsWith('user: '))
      expect(users.slice(1)).toEqual(said)
    }
  }
})

/** A store that has lost what was said to runs. */
function withoutSaid(store: Store): Store {
  const isLost = (kinds: readonly string[] | undefined) => kinds?.includes('steer') === true
  return { ...store, inbox: async (id, filter) => (isLost(filter?.kinds) ? [] : store.inbox(id, filter)) }
}

test('CKP-07 refuses a run whose queue names a missing row, and leaves it unchanged', async () => {
  const inner = memoryStore()
  const { run, agent } = await spokenTo(inner, 'Then sweep.', 1)
  const from = (await run.history()).findLast(({ names }) => names.includes('ToolResultsCommitted'))?.version ?? 0
  await agent.fork(runId, { from, runId: 'fork' })
  const { version } = await inner.record('fork')
  const { agent: other } = testAgent({ replies: ['Bye'], store: withoutSaid(inner) })
  const forked = await other.load('fork')
  await expect(forked.settled()).rejects.toThrow(SnapshotError)
  await expect(forked.settled()).rejects.toThrow(/row \d+ of its inbox, which its queue names, is missing/)
  expect((await inner.record('fork')).version).toBe(version)
})

test('RUN-09 AGT-03 a bare actor keeps messages sent to it outside its context, also over a restore', async () => {
  const pause = toolNamed('pause', () => 'paused', { effects: 'none', needs: 'approval' })
  const { agent } = testAgent({ replies: [calls(call('c1', 'pause')), 'Bye', 'Swept.'], tools: [pause] })
  const logs: Parameters<NonNullable<Parameters<typeof agent.provide>[0]>['onLog'] & {}>[0][] = []
  const actor = createActor(agent.provide({ onLog: (log) => void logs.push(log) }), { input: 'MARK-INPUT' })
  actor.start()
  const queued = { kind: 'followUp', messages: [userMessage('MARK-FOLLOWED', start)] } as const
  actor.send({ type: 'message.queued', queued, at: start })
  while (actor.getSnapshot().value !== 'waiting') await next()
  const persisted = JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as { context: unknown; children: unknown }
  actor.stop()
  expect(JSON.stringify([persisted.context, persisted.children])).not.toContain('MARK')
  const log = logs.at(-1)
  if (log === undefined) throw new Error('No log was given.')
  const again = createActor(agent.provide({ log }), { snapshot: persisted as never })
  again.start()
  const [suspended] = log.entries.flatMap((entry) => (entry.kind === 'call' ? entry.call.callId : []))
  await agent.decide(again, [{ target: suspended ?? '', action: 'resume' }])
  while (again.getSnapshot().status === 'active') await next()
  const { messages } = again.getSnapshot().output as { readonly messages: readonly unknown[] }
  expect(JSON.stringify(messages).match(/MARK-FOLLOWED/g)).toHaveLength(1)
})
