import { expect, test } from 'vitest'
import { call, calls, say } from '../../../proof/support/say.ts'
import { eventsOf, heldReply, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { ModelError, userMessage, type AgentEvent, type Model, type Run, type Session } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import type { CheckpointInfo, CheckpointPlace } from '../../../src/ports.ts'

const linesOf = async (run: Pick<Run | Session, 'messages'>) => (await run.messages()).map(say)
const begun = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'run.started'
      ? [event.parentRunId, event.continuation]
      : event.type === 'turn.started'
        ? [event.trigger]
        : [],
  )
const settled = async (run: Promise<Run>) => {
  const begunRun = await run
  await begunRun.settled()
  return begunRun
}

/** The checkpoint of a run that has a name, its first one. */
async function placeOf(run: Run, name: CheckpointInfo['names'][number]): Promise<CheckpointPlace> {
  const found = (await run.history()).find(({ names }) => names.includes(name))
  if (found === undefined) throw new Error(`Run "${run.id}" has no checkpoint ${name}.`)
  return { runId: run.id, version: found.version }
}

test('AGT-01 AGT-04 rerun answers the last message again, and keeps the earlier answer in its place', async () => {
  const { agent, prompts, clock } = testAgent({ replies: ['One', 'Two', 'Three'], configId: 'c' })
  const session = agent.session('s')
  await settled(session.prompt('Hi'))
  const second = await settled(session.prompt('More'))
  clock.advance(Date.parse('2026-03-01T10:00:00Z') - clock.now())
  const again = await session.rerun()
  expect(begun(await eventsOf(again))).toEqual([
    second.id,
    { kind: 'rerun', tag: '2026-03-01T10:00:00.000Z' },
    'continuation',
  ])
  expect(again.id).toBe('s.c.3')
  expect(prompts.at(-1)).toEqual(['user: Hi', 'assistant: One', 'user: More'])
  expect(await linesOf(session)).toEqual(['user: Hi', 'assistant: One', 'user: More', 'assistant: Two'])
  expect(await linesOf(second)).toEqual(await linesOf(session))
  // The one that began last is gone on from, and a rerun of a rerun is one of the same message.
  await settled(session.rerun({ tag: 'third' }))
  expect(prompts.at(-1)).toEqual(['user: Hi', 'assistant: One', 'user: More'])
  await settled(session.prompt('And?'))
  expect(prompts.at(-1)).toEqual(['user: Hi', 'assistant: One', 'user: More', 'assistant: Two', 'user: And?'])
})

test('AGT-01 AGT-04 branch continues elsewhere, with a prompt instead of the answered message', async () => {
  const { agent, prompts } = testAgent({ replies: ['One', 'Two', 'Three'] })
  const session = agent.session('s')
  const first = await settled(session.prompt('Hi'))
  const second = await settled(session.prompt('More'))
  const branch = await session.branch({ prompt: 'Else', tag: 'b1' })
  expect(begun(await eventsOf(branch))).toEqual([second.id, { kind: 'branch', tag: 'b1' }, 'branch'])
  expect(prompts.at(-1)).toEqual(['user: Hi', 'assistant: One', 'user: Else'])
  const from = await placeOf(first, 'UserMessage')
  const root = await session.branch({ from, prompt: 'Anew' })
  expect(begun(await eventsOf(root)).slice(0, 1)).toEqual([first.id])
  expect(prompts.at(-1)).toEqual(['user: Anew'])
  // Without a prompt the message is answered again.
  await settled(session.branch({ from }))
  expect(prompts.at(-1)).toEqual(['user: Hi'])
  expect(await linesOf(second)).toEqual(['user: Hi', 'assistant: One', 'user: More', 'assistant: Two'])
  expect(await linesOf(branch)).toEqual(['user: Hi', 'assistant: One', 'user: Else', 'assistant: Two'])
})

test('AGT-01 replaces a whole message at once, and no message of the run before', async () => {
  const { agent, prompts } = testAgent({ replies: ['One', 'Two', 'Three'], limits: { maxTurns: 1 } })
  const session = agent.session('s')
  const cancelled = await session.prompt('Hi')
  await cancelled.cancel()
  await cancelled.settled()
  const before = await linesOf(session)
  expect(before.at(-1)).toMatch(/^user: /)
  await settled(
    session.prompt([
      { role: 'user', content: 'A' },
      { role: 'extension', kind: 'page', data: 3, timestamp: 1 },
      { role: 'user', content: 'B' },
    ]),
  )
  await settled(session.branch({ prompt: 'Else' }))
  expect((await linesOf(session)).slice(0, before.length + 1)).toEqual([...before, 'user: Else'])
  expect(prompts.at(-1)?.at(-1)).toBe('user: Else')
})

test('AGT-01 continues from a checkpoint between rounds with its results, and refuses one with open calls unless there is another prompt', async () => {
  const { act } = toolbox()
  const replies = [calls(call('a', 'act')), 'One', 'Two']
  const { agent, prompts } = testAgent({ replies, tools: [act()] })
  const session = agent.session('s')
  const run = await settled(session.prompt('Hi'))
  const results = ['user: Hi', 'assistant: calls 1.a act', 'result 1.a: act done']
  await settled(session.rerun({ from: await placeOf(run, 'ToolResultsCommitted') }))
  expect(prompts.at(-1)).toEqual(results)
  await settled(session.branch({ from: await placeOf(run, 'ToolResultsCommitted'), prompt: 'Else' }))
  expect(prompts.find((lines) => lines.includes('user: Else'))).toEqual(['user: Else'])
  const from = await placeOf(run, 'AssistantTurnCommitted')
  const before = await session.state()
  for (const refused of [session.rerun({ from }), session.branch({ from })]) {
    await expect(refused).rejects.toMatchObject({
      code: 'bad_checkpoint',
      message: expect.stringMatching(/"act" were open.*fork/),
    })
  }
  expect(await session.state()).toEqual(before)
  const count = prompts.length
  await settled(session.branch({ from, prompt: 'Other' }))
  expect(prompts[count]).toEqual(['user: Other'])
})

test("AGT-01 AGT-04 a prompt to a session's run stays in the session: id, counter, queue and active run", async () => {
  const { agent, prompts, store } = testAgent({ replies: ['One', 'Two', 'Three'], configId: 'c' })
  const session = agent.session('s', { subject: 'oslo' })
  const first = await settled(session.prompt('Hi'))
  await session.steer('Be brief')
  const second = await first.prompt('More', { labels: { team: 'a' } })
  expect(begun(await eventsOf(second))).toEqual([first.id, { kind: 'default' }, 'continuation', 'continuation'])
  expect(second.id).toBe('s.c.2')
  expect((await second.result()).run).toMatchObject({ subject: 'oslo', session: { id: 's', index: 1 } })
  expect(await session.state()).toMatchObject({ lastRun: second.id, runs: 2, queued: [], metadata: { team: 'a' } })
  expect(prompts.flat()).toContain('user: Be brief')
  // It continues the prompted run, whichever run began last.
  const other = await settled((await agent.load(first.id)).prompt('Else'))
  expect(await linesOf(other)).toEqual(['user: Hi', 'assistant: One', 'user: Else', 'assistant: Two'])
  expect((await session.usage()).turns).toBe(4)
  await expect(first.prompt('X', { runId: 'mine' })).rejects.toMatchObject({
    code: 'bad_option',
    message: expect.stringContaining('session "s"'),
  })
  const elsewhere = testAgent({ replies: ['One', 'Two', 'Three'], name: 'other', configId: 'o', store })
  const adopted = await settled((await elsewhere.agent.load(second.id, { adopt: true })).prompt('And?'))
  expect(adopted.id).toBe('s.o.1')
  expect(await session.state()).toMatchObject({ agent: 'test', lastRun: adopted.id, runs: 4 })
})

test('AGT-01 CKP-06 a fork continues with open calls, under new suspension ids and outside the session', async () => {
  const { ask } = toolbox()
  const { agent } = testAgent({ replies: [calls(call('a', 'ask')), 'One'], tools: [ask()] })
  const session = agent.session('s')
  const run = await settled(session.prompt('Hi'))
  const [open] = (await run.result()).suspended
  await session.cancel()
  await run.settled()
  const { version: from } = await placeOf(run, 'AssistantTurnCommitted')
  await expect(session.rerun({ from: { runId: run.id, version: from } })).rejects.toMatchObject({
    code: 'bad_checkpoint',
  })
  const fork = await agent.fork(run.id, { from, runId: 'forked' })
  await fork.settled()
  const { suspended, status } = await fork.result()
  expect([status, suspended.map(({ callId }) => callId)]).toEqual(['waiting', [open?.callId]])
  expect(suspended[0]?.suspension?.id).not.toBe(open?.suspension?.id)
  expect(await session.state()).toMatchObject({ runs: 1, lastRun: run.id })
})

test('AGT-01 counts an answer before a rerun once, whichever of its runs is read', async () => {
  const { act } = toolbox()
  const { agent } = testAgent({ replies: [calls(call('a', 'act')), 'One', 'Two', 'Three'], tools: [act()] })
  const session = agent.session('s')
  const run = await settled(session.prompt('Hi'))
  const again = await settled(session.rerun({ from: await placeOf(run, 'ToolResultsCommitted') }))
  expect(await linesOf(again)).toHaveLength(4)
  expect((await session.usage()).turns).toBe(3)
  await settled(session.prompt('More', { after: run.id }))
  expect((await session.usage()).turns).toBe(4)
})

test('AGT-01 continue resumes after an error without a new message, and omits the failed answer', async () => {
  let isDown = true
  const { agent, prompts } = testAgent({
    replies: [() => (isDown ? { error: new ModelError('api', 'Down') } : 'One'), 'Two'],
    retry: { maxRetries: 0 },
  })
  const session = agent.session('s')
  const failed = await session.prompt('Hi')
  expect((await failed.settled()).outcome).toMatchObject({ reason: 'error' })
  expect((await linesOf(session)).at(-1)).toMatch(/^assistant: error/)
  isDown = false
  const next = await session.continue()
  expect(begun(await eventsOf(next))).toEqual([failed.id, { kind: 'default' }, 'continuation'])
  expect((await next.result()).text).toBe('One')
  expect(prompts).toEqual([['user: Hi'], ['user: Hi']])
  expect((await session.usage()).turns).toBe(2)
})

test('AGT-01 continue resumes after a cancel', async () => {
  const held = heldReply()
  const { agent, prompts } = testAgent({ replies: [held.reply] })
  const session = agent.session('s')
  const run = await session.prompt('Hi')
  await held.asked
  expect(await session.cancel()).toMatchObject({ target: run.id, answer: 'applied' })
  expect((await run.settled()).outcome.reason).toBe('cancelled')
  const next = await session.continue()
  held.give('One')
  expect(await next.settled()).toMatchObject({ text: 'One', outcome: { reason: 'natural_end' } })
  expect(prompts.at(-1)).toEqual(['user: Hi', 'user: [Run cancelled while the model was answering.]'])
})

test('AGT-01 continue resumes after a limit, with fresh limits', async () => {
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    replies: [calls(call('a', 'act')), 'One'],
    tools: [act()],
    limits: { maxTurns: 1 },
  })
  const session = agent.session('s')
  const run = await settled(session.prompt('Hi'))
  expect((await run.result()).outcome).toEqual({ reason: 'stopped', code: 'max_turns' })
  const next = await settled(session.continue())
  expect(await next.result()).toMatchObject({ text: 'One', outcome: { reason: 'natural_end' } })
  expect(prompts.at(-1)?.at(-1)).toMatch(/^user: \[Agent stopped/)
})

test('L18 AGT-01 the runs of a session are a tree: old branches stay, unknown and taken ids are typed errors', async () => {
  const { agent, store } = testAgent({ replies: ['One', 'Two', 'Three', 'Four'], configId: 'c' })
  const session = agent.session('s')
  const first = await settled(session.prompt('Hi'))
  const second = await settled(session.prompt('More'))
  const branch = await settled(session.branch({ prompt: 'Else', tag: 'b' }))
  const third = await settled(session.prompt('And?'))
  const back = await settled(session.prompt('Back', { after: second.id }))
  const parents = await Promise.all(
    [first, second, branch, third, back].map(async ({ id }) => {
      const input = (await store.read(id)).input as { readonly parentRunId?: string }
      return input.parentRunId
    }),
  )
  expect(parents).toEqual([undefined, first.id, second.id, branch.id, second.id])
  expect(await linesOf(second)).toEqual(['user: Hi', 'assistant: One', 'user: More', 'assistant: Two'])
  expect(await linesOf(third)).toEqual([
    'user: Hi',
    'assistant: One',
    'user: Else',
    'assistant: Two',
    'user: And?',
    'assistant: Three',
  ])
  expect((await session.usage()).turns).toBe(5)
  await expect(session.prompt('X', { after: 'unknown' })).rejects.toMatchObject({ code: 'run_unknown' })
  await expect(agent.run('X', { runId: third.id })).rejects.toMatchObject({ code: 'run_exists' })
  const forked = await agent.fork(second.id, { from: 1, runId: 'forked' })
  expect((await forked.result()).run.session).toBeUndefined()
  expect((await session.state())?.lastRun).toBe(back.id)
})

test('AGT-01 AGT-07 continue calls no input filter, and only the instructions of a context builder', async () => {
  const filtered: string[] = []
  const systems: string[] = []
  const base = scripted(['One', 'Two'])
  let isDown = true
  const model: Model = {
    ...base,
    stream(request) {
      systems.push(request.system)
      if (isDown) throw new ModelError('api', 'Down')
      return base.stream(request)
    },
  }
  const { agent, prompts } = testAgent({
    model,
    retry: { maxRetries: 0 },
    plugins: [
      { name: 'count', filterInput: (messages) => void filtered.push(...messages.map(say)) },
      {
        name: 'builder',
        buildContext: ({ input }) => ({ system: `Asked: ${JSON.stringify(input)}`, messages: [userMessage('Built')] }),
      },
    ],
  })
  const session = agent.session('s')
  await settled(session.prompt('Hi'))
  isDown = false
  const next = await settled(session.continue())
  expect((await next.result()).text).toBe('One')
  expect(filtered).toEqual(['user: Hi'])
  expect(systems).toEqual(['Asked: "Hi"', 'Asked: []'])
  expect(prompts.at(-1)).toEqual(['user: Built'])
})
