import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { eventsOf, quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { heldTool } from '../../../proof/support/tools.ts'
import { userMessage } from '../../../src/index.ts'

const replies = [calls(call('c1', 'held')), 'Done']

test('CKP-05 DEC-07 a run that was only stored is driven at once by the process that loads it', async () => {
  const first = testAgent({ replies: ['Done'] })
  const run = first.agent.start('Hi', { runId, drive: false })
  expect(await run.result()).toMatchObject({ status: 'running', messages: [] })
  await quiet()
  expect(first.prompts).toEqual([])
  const second = testAgent({ replies: ['Done'], store: first.store, clock: first.clock, process: 'p2' })
  const { drive, run: taken } = await second.agent.resume(runId)
  expect(drive).toBe('begun')
  expect(await taken.settled()).toMatchObject({ status: 'done', text: 'Done' })
  expect([first.prompts.length, second.prompts.length]).toEqual([0, 1])
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done' })

  const own = first.agent.start('Hi', { runId: 'own', drive: false })
  expect((await eventsOf(own)).map(({ type }) => type)).toContain('run.ended')
})

test("RUN-05 a repeated start attaches to the first one's run, in this process and in another", async () => {
  const held = heldTool()
  const first = testAgent({ replies, tools: [held.tool] })
  const attach = { runId, ifExists: 'attach' as const }
  const runs = [first.agent.start('Hi', attach), first.agent.start('Hi', attach)]
  const ends = runs.map((run) => run.settled())
  await held.begins('1.c1')
  const later = first.agent.start([userMessage('Hi', 5)], attach).settled()
  const options = { replies, tools: [held.tool], store: first.store, clock: first.clock, process: 'p2' }
  const second = testAgent(options)
  const elsewhere = second.agent.start('Hi', attach)
  await expect(elsewhere.settled()).rejects.toMatchObject({ code: 'run_is_driven' })
  const following = elsewhere.settled({ follow: true })
  held.finish('1.c1')
  for (const end of [...ends, later]) expect(await end).toMatchObject({ status: 'done', text: 'Done' })
  first.clock.advance(250)
  expect(await following).toMatchObject({ status: 'done', text: 'Done' })
  expect(await second.agent.run('Hi', attach)).toMatchObject({ status: 'done', text: 'Done' })
  expect(held.begun).toEqual(['1.c1'])
  expect([first.prompts.length, second.prompts.length]).toEqual([2, 0])
})

test('RUN-05 attaches to a run that was stored and never driven', async () => {
  const { agent, prompts } = testAgent({ replies: ['Done'] })
  await agent.start('Hi', { runId, drive: false }).result()
  expect(await agent.run('Hi', { runId, ifExists: 'attach' })).toMatchObject({ status: 'done', text: 'Done' })
  expect(prompts).toEqual([['user: Hi']])
})

test.each([
  { what: 'another text', prompt: 'Ho', isDriven: true },
  { what: 'another text, never driven', prompt: 'Ho', isDriven: false },
  { what: 'more messages', prompt: [userMessage('Hi', 1), userMessage('Ho', 1)], isDriven: true },
  { what: 'fewer messages, never driven', prompt: [userMessage('Hi', 1)], isDriven: false },
])('RUN-05 refuses to attach to a run that was started with another prompt: $what', async ({ prompt, isDriven }) => {
  const { agent, store, prompts } = testAgent({ replies: ['Done'] })
  const first = [userMessage('Hi', 1), ...(isDriven ? [] : [userMessage('there', 1)])]
  const run = agent.start(first, { runId, drive: isDriven })
  await (isDriven ? run.settled() : run.result())
  const before = { stored: await store.read(runId), asked: prompts.length }
  const refused = agent.start(prompt, { runId, ifExists: 'attach' })
  const error = {
    name: 'UsageError',
    code: 'other_prompt',
    message:
      'Run "run-1" was started with another prompt. Start with another runId; to continue that run in any case, use ' +
      'load() or resume().',
  }
  await expect(refused.settled()).rejects.toMatchObject(error)
  await expect(refused.approve()).rejects.toMatchObject(error)
  expect({ stored: await store.read(runId), asked: prompts.length }).toEqual(before)
})

test("RUN-05 refuses a taken run id without attach, and refuses to attach to another agent's run", async () => {
  const { agent, store, clock } = testAgent({ replies: ['Done'] })
  await agent.run('Hi', { runId })
  for (const options of [{ runId }, { runId, ifExists: 'refuse' as const }]) {
    await expect(agent.run('Hi', options)).rejects.toMatchObject({ name: 'StoreError', code: 'run_exists' })
  }
  const other = testAgent({ replies: ['Done'], store, clock, process: 'p2', name: 'other' }).agent
  await expect(other.run('Hi', { runId, ifExists: 'attach' })).rejects.toMatchObject({
    name: 'UsageError',
    code: 'other_agent',
    message:
      'Run "run-1" belongs to the agent "test", not to "other". Use another runId, or take that run over with ' +
      'load() or resume() and { adopt: true }.',
  })
})

test.each([
  [{ ifExists: 'attach' }, 'ifExists: "attach" needs a runId to attach to.'],
  [{ ifExists: 'replace', runId }, 'attach'],
  [{ drive: 'no' }, 'drive'],
  [
    { drive: false, signal: new AbortController().signal },
    'A run that is only stored takes no signal: use run.cancel().',
  ],
  [{ at: 5 }, 'Option "at" is for a run that is only stored. Add drive: false, and let a worker begin the run.'],
  [{ at: Number.NaN, drive: false }, 'Option at is NaN. Expected Unix milliseconds.'],
])('RUN-05 refuses contradictory start options: %j', (options, message) => {
  const { agent } = testAgent()
  const refusal = expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(message) })
  expect(() => agent.start('Hi', options as never)).toThrow(refusal)
})

test('RUN-05 run() drives, and refuses options that contradict that', async () => {
  const { agent, store } = testAgent({ replies: ['Done'] })
  await expect(agent.run('Hi', { runId, drive: false } as never)).rejects.toMatchObject({ code: 'bad_option' })
  expect(await store.list()).toEqual([])
})

test('RUN-05 DEC-07 a scheduled run is stored with its time, and begins when a process drives it', async () => {
  const { agent, store, clock } = testAgent({ replies: ['Done'] })
  const at = clock.now() + 1000
  await agent.start('Hi', { runId, drive: false, at }).result()
  expect(await store.postponed?.()).toEqual([{ runId, agent: 'test', until: at, failures: 0 }])
  const { run } = await agent.resume(runId)
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done' })
})
