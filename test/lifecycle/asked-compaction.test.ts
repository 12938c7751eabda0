import { expect, test } from 'vitest'
import { type AgentEvent, type Model, type Run, textOf } from '../../src/index.ts'
import type { CompactionOptions } from '../../src/ports.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { call, calls } from '../../proof/support/say.ts'
import { eventsOf, heldReply, stop, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { messagesOf } from '../../proof/support/long-prompt.ts'

/** Fifty tokens a message, so that a prompt of them is far below what compaction fires at. */
const prompt = () => messagesOf(20, 1000)

const compactions = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'context.compacted' ? [event.tier] : []))

async function driven(run: Run) {
  const events = await eventsOf(run)
  return { compactions: compactions(events), status: (await run.result()).status }
}

/** A run that is done, with its agent, and how many messages each of its model calls was sent. */
async function doneRun(options: TestAgentOptions = {}) {
  const made = testAgent({ replies: ['One.', 'Two.', 'Three.', 'Four.'], ...options })
  const run = made.agent.start(prompt())
  await run.settled()
  return { ...made, run, sizes: () => made.prompts.map(({ length }) => length) }
}

test('CTX-02 compacts by hand after a finished run: the next prompt is smaller, and later prompts continue from it', async () => {
  const { run, agent, sizes, store } = await doneRun()
  const before = await store.read(run.id)
  const smaller = await run.compact()
  expect(smaller.id).not.toBe(run.id)
  expect(await store.read(run.id)).toEqual(before)
  expect(await smaller.result()).toMatchObject({ status: 'done', turns: 0, usage: { totalTokens: 0 } })
  const next = await smaller.prompt('And now?')
  expect(await driven(next)).toEqual({ compactions: [3], status: 'done' })
  const after = await next.prompt('And then?')
  expect(await driven(after)).toEqual({ compactions: [], status: 'done' })
  expect(sizes()).toEqual([20, 13, 15])
  // The transcript has it all, and the wish, which no model is sent.
  const roles = (await (await agent.load(after.id)).messages()).map(({ role }) => role)
  expect(roles.filter((role) => role === 'user')).toHaveLength(22)
  expect(roles.filter((role) => role === 'extension')).toHaveLength(1)
})

test.for<[string, CompactionOptions | false]>([
  ['is turned off', false],
  ['is on', {}],
])('CTX-02 compacts by hand even if compaction %s', async ([, compaction]) => {
  const { run } = await doneRun({ compaction })
  expect((await driven(await (await run.compact()).prompt('And now?'))).compactions).toEqual([3])
})

test('CTX-02 reports once if a manual compaction has no effect', async () => {
  const { agent } = testAgent({ replies: ['One.', 'Two.', 'Three.'] })
  const run = agent.start('Hi')
  await run.settled()
  const next = await (await run.compact()).prompt('More')
  const told = (await eventsOf(next)).flatMap((event) => (event.type === 'context.compacted' ? [event] : []))
  expect(told.map(({ tokensBefore, tokensAfter }) => tokensAfter === tokensBefore)).toEqual([true])
  expect((await driven(await next.prompt('More'))).compactions).toEqual([])
})

test('CTX-02 compacts by hand, once, before the next turn of a run that another process drives', async () => {
  const store = memoryStore()
  const held = heldReply()
  const { agent, prompts } = testAgent({
    store,
    replies: [held.reply, calls(call('a', 'act')), 'Done.'],
    tools: [toolNamed('act', () => 'done')],
  })
  const run = agent.start(prompt())
  const events = eventsOf(run)
  await held.asked
  const other = await testAgent({ store, process: 'p2' }).agent.load(run.id)
  expect((await other.compact()).id).toBe(run.id)
  held.give(calls(call('b', 'act')))
  expect(compactions(await events)).toEqual([3])
  expect(prompts.map(({ length }) => length)).toEqual([20, 13, 15])
})

test('CTX-02 RUN-03 a waiting run that is compacted by hand accepts its decision, and is compacted before it asks again', async () => {
  const { agent, prompts } = testAgent({
    replies: [calls(call('a', 'act')), 'Done.'],
    tools: [toolNamed('act', () => 'done', { needs: 'approval' })],
  })
  const run = agent.start(prompt())
  expect((await run.settled()).status).toBe('waiting')
  const receipts = await Promise.all([run.compact(), run.approve(), run.compact()])
  expect([receipts[0].id, receipts[1].answer, receipts[2].id]).toEqual([run.id, 'applied', run.id])
  expect(await driven(run)).toEqual({ compactions: [3], status: 'done' })
  expect(prompts.map(({ length }) => length)).toEqual([20, 13])
})

test('CTX-02 a manual compaction requested from a cancelled run is done by the run that continues it', async () => {
  const { agent } = testAgent({
    replies: [calls(call('a', 'act')), 'Done.'],
    tools: [toolNamed('act', () => 'done', { needs: 'approval' })],
  })
  const run = agent.start(prompt())
  await run.settled()
  await run.compact()
  await run.cancel()
  expect((await run.settled()).outcome?.reason).toBe('cancelled')
  expect((await driven(await run.prompt('Go on.'))).compactions).toEqual([3])
})

test('CTX-02 a fork is compacted by hand only if it continues from after the request', async () => {
  const { agent, run } = await doneRun()
  const next = await (await run.compact()).prompt('And now?')
  await next.settled()
  const from = async (of: Run) => (await of.history()).find(({ names }) => names.includes('UserMessage'))?.version ?? -1
  const forked = async (of: Run) => (await driven(await agent.fork(of.id, { from: await from(of) }))).compactions
  expect([await forked(run), await forked(next)]).toEqual([[], [3]])
})

test('CTX-02 sends the same prompt if a process dies after a request to compact, and makes one summary', async () => {
  const store = memoryStore()
  const sent: string[] = []
  const asked = Promise.withResolvers<void>()
  let summaries = 0
  const model = (answers: boolean): Model => ({
    ...scripted([]),
    async *stream(request) {
      if (request.lifecycle === 'summary') summaries++
      else {
        sent.push(JSON.stringify(request.messages))
        asked.resolve()
        if (!answers) await new Promise(() => {})
      }
      yield* scripted(() => 'In short.', { now: () => start }).stream(request)
    },
  })
  const compaction = { summaries: true } as const
  const first = await doneRun({ store, compaction })
  const smaller = await first.run.compact()
  const dying = testAgent({ store, compaction, model: model(false), process: 'p2' }).agent
  const run = await (await dying.load(smaller.id)).prompt('And now?')
  const driving = run.settled()
  await asked.promise
  await stop(run, driving)
  const last = testAgent({ store, compaction, model: model(true), process: 'p3' }).agent
  expect(await driven(await last.load(run.id))).toEqual({ compactions: [], status: 'done' })
  expect(sent[1]).toBe(sent[0])
  expect(sent[0]).toContain('[Summary] In short.')
  expect(summaries).toBe(1)
})

test("CTX-02 AGT-01 compacts a session's active run by hand, else its next run; its last prompt can still be answered again", async () => {
  const held = heldReply()
  const { agent, prompts } = testAgent({ replies: ['One.', held.reply, 'Three.', 'Four.'] })
  const session = agent.session('s')
  await expect(session.compact()).rejects.toMatchObject({
    code: 'nothing_to_compact',
    message: 'Session "s" has no messages to make smaller. Use prompt() first.',
  })
  await (await session.prompt(prompt())).settled()
  await session.compact()
  expect(await session.state()).toMatchObject({ runs: 1, queued: [] })
  const run = await session.prompt('And now?')
  await held.asked
  await session.compact()
  held.give('Two.')
  expect((await run.settled()).status).toBe('done')
  const next = await session.prompt('And then?')
  expect((await driven(next)).compactions).toEqual([3])
  await session.compact()
  await (await session.rerun()).settled()
  expect(prompts.map((lines) => [lines.length, lines.at(-1)?.slice(0, 20)])).toEqual([
    [20, `user: 0019${'x'.repeat(10)}`],
    [13, 'user: And now?'],
    [expect.any(Number), 'user: And then?'],
    [expect.any(Number), 'user: And then?'],
  ])
  const texts = (await session.messages({ limit: 1000 })).flatMap((message) =>
    message.role === 'user' ? [textOf(message).slice(0, 9)] : [],
  )
  expect(texts.slice(-2)).toEqual(['And now?', 'And then?'])
})

test("CTX-02 refuses to compact another agent's run by hand, and refuses if the agent is closed", async () => {
  const store = memoryStore()
  const { run } = await doneRun({ store })
  const other = testAgent({ store, name: 'other', process: 'p2' }).agent
  await expect((await other.load(run.id)).compact()).rejects.toMatchObject({ code: 'other_agent' })
  const same = testAgent({ store, process: 'p3' }).agent
  const loaded = await same.load(run.id)
  await same.close()
  await expect(loaded.compact()).rejects.toMatchObject({ code: 'agent_closed' })
})
