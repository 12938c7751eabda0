import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { call, calls, say } from '../../../proof/support/say.ts'
import { heldReply, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { type Session, UsageError } from '../../../src/index.ts'
import type { UsageErrorCode } from '../../../src/ports.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

/** The error of a use of a session, the names missing from its message, and whether the session has changed. */
async function refusal(session: Session, use: () => Promise<unknown>, ...names: string[]) {
  const before = await session.state()
  const error: unknown = await use().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof UsageError)) throw new Error('It was not refused.', { cause: error })
  const missing = names.filter((name) => !error.message.includes(name))
  return { code: error.code, missing, isSame: isDeepStrictEqual(await session.state(), before) }
}

const refused = (code: UsageErrorCode) => ({ code, missing: [], isSame: true })

const begins = (session: Session): readonly (() => Promise<unknown>)[] => [
  () => session.prompt('More'),
  () => session.continue(),
  () => session.rerun(),
  () => session.branch({ prompt: 'Else' }),
  () => session.reset(),
  () => session.rotate(),
  () => session.restore([{ role: 'user', content: 'Hi' }]),
]

test('AGT-02 L16 refuses a prompt while a run of the session is active, and explains what to do instead', async () => {
  const held = heldReply()
  const { agent } = testAgent({ replies: [held.reply, 'Two'] })
  const session = agent.session('s')
  const run = await session.prompt('Hi')
  await held.asked
  for (const begin of begins(session))
    expect(await refusal(session, begin, run.id, 'steer()', 'followUp()')).toEqual(refused('run_busy'))
  held.give('One')
  await run.settled()
  await (await session.prompt('More')).settled()
})

test('AGT-02 L16 refuses a prompt while a run of the session waits, and suggests decide, steer, follow-up and cancel', async () => {
  const { act } = toolbox()
  const { agent, prompts } = testAgent({
    replies: [calls(call('a', 'act')), 'Done', 'Two'],
    tools: [act('act', { needs: 'approval' })],
  })
  const session = agent.session('s')
  const run = await session.prompt('Hi')
  await run.settled()
  expect((await session.state())?.active).toEqual({ runId: run.id, status: 'waiting' })
  for (const begin of begins(session)) {
    expect(await refusal(session, begin, 'decide()', 'steer()', 'followUp()', 'cancel()')).toEqual(
      refused('run_waiting'),
    )
  }
  expect(await session.rotateIfIdle(0)).toBeUndefined()
  await session.followUp('After that')
  await run.approve()
  await run.settled()
  expect(prompts.at(-1)?.at(-1)).toBe('user: After that')
})

test('AGT-02 L16 refuses to continue an empty transcript, or one that ends with the model’s message', async () => {
  const { agent } = testAgent({ replies: ['One', 'Two'] })
  const session = agent.session('s')
  const wish = ['prompt()', 'rerun({ from })']
  expect(await refusal(session, () => session.continue(), 'no messages', ...wish)).toEqual(refused('nothing_to_answer'))
  expect(await refusal(session, () => session.rerun(), 'no messages', ...wish)).toEqual(refused('nothing_to_answer'))
  await (await session.prompt('Hi')).settled()
  expect(await refusal(session, () => session.continue(), "ends with the model's message", ...wish)).toEqual(
    refused('nothing_to_answer'),
  )
  await session.reset()
  expect(await refusal(session, () => session.continue(), 'no messages')).toEqual(refused('nothing_to_answer'))
})

test.each(['', 'a b', 'a.b', 'ä', 'x'.repeat(65), '__proto__ ', '../s'])('AGT-04 refuses the session id %j', (id) => {
  const { agent } = testAgent()
  expect(() => agent.session(id)).toThrow(expect.objectContaining({ code: 'bad_session_id' }))
})

test.each(['', 'a b', 'a.b', 'x'.repeat(41)])('AGT-04 refuses the configuration id %j', async (configId) => {
  expect(() => testAgent({ configId })).toThrow(expect.objectContaining({ code: 'bad_config_id' }))
  const session = testAgent().agent.session('s')
  expect(await refusal(session, () => session.prompt('Hi', { configId }), '1 to 40')).toEqual(refused('bad_config_id'))
})

test.each([
  ['deep', JSON.parse(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`)],
  ['large', { text: 'x'.repeat(64_000) }],
  ['no object', [1]],
  ['keyed by __proto__', JSON.parse('{"__proto__":{"admin":true}}')],
])('EVT-01 refuses metadata that is %s', (_, metadata) => {
  const { agent } = testAgent()
  expect(() => agent.session('s', { metadata })).toThrow(expect.objectContaining({ code: 'bad_metadata' }))
})

test('AGT-01 refuses a checkpoint of another session, and runs of others', async () => {
  const { agent } = testAgent({ replies: ['One', 'Two'] })
  const session = agent.session('s')
  const run = await session.prompt('Hi')
  await run.settled()
  const other = await agent.session('t').prompt('Hi')
  await other.settled()
  await agent.run('Alone', { runId: 'alone' })
  const [first] = await other.history()
  for (const from of [
    { runId: run.id, version: 99 },
    { runId: 'nobody', version: 1 },
    { runId: other.id, version: first?.version ?? 0 },
  ]) {
    expect(await refusal(session, () => session.rerun({ from }), 'history()')).toEqual(refused('bad_checkpoint'))
    expect(await refusal(session, () => session.branch({ from, prompt: 'Else' }), 'history()')).toEqual(
      refused('bad_checkpoint'),
    )
  }
  const end = (await run.history()).find(({ names }) => names.includes('RunFinished'))
  const from = { runId: run.id, version: end?.version ?? 0 }
  expect(await refusal(session, () => session.rerun({ from }))).toEqual(refused('nothing_to_answer'))
  expect(await refusal(session, () => session.prompt('More', { after: other.id }), 'agent.runs')).toEqual(
    refused('other_session'),
  )
  expect(await refusal(session, () => session.prompt('More', { after: 'alone' }))).toEqual(refused('other_session'))
  await expect(session.prompt('More', { after: 'nobody' })).rejects.toMatchObject({ code: 'run_unknown' })
})

test('AGT-01 refuses invalid prompts and options before anything is stored', async () => {
  const session = testAgent().agent.session('s')
  const bad = (use: unknown) => use as never
  expect(await refusal(session, () => session.prompt(''))).toEqual(refused('bad_prompt'))
  const answer = { role: 'assistant', content: [{ type: 'text', text: 'I' }] }
  expect(await refusal(session, () => session.prompt(bad([answer])), 'session().restore')).toEqual(
    refused('bad_prompt'),
  )
  expect(await refusal(session, () => session.steer(''))).toEqual(refused('bad_prompt'))
  expect(await refusal(session, () => session.prompt('Hi', bad({ runId: 'mine' })), 'runId')).toEqual(
    refused('bad_option'),
  )
  expect(await refusal(session, () => session.rerun(bad({ from: 3 })), 'from')).toEqual(refused('bad_option'))
  expect(await refusal(session, () => session.rerun({ tag: '' }), 'tag')).toEqual(refused('bad_option'))
  expect(await refusal(session, () => session.messages({ limit: -1 }), 'limit')).toEqual(refused('bad_option'))
  expect(await refusal(session, () => session.rotateIfIdle(Number.NaN), 'ms')).toEqual(refused('bad_option'))
  expect(await refusal(session, () => session.restore([], bad({ format: 'chatml' })), 'format')).toEqual(
    refused('bad_option'),
  )
})

test('AGT-01 refuses the session of another agent', async () => {
  const store = memoryStore()
  const session = testAgent({ store, replies: ['One'] }).agent.session('s')
  await (await session.prompt('Hi')).settled()
  const other = testAgent({ store, id: 'desk', replies: ['One'] }).agent.session('s')
  for (const use of [...begins(other), () => other.messages(), () => other.delete(), () => other.steer('Hi')]) {
    await expect(use()).rejects.toMatchObject({ code: 'other_agent' })
  }
  expect((await session.messages()).map(say)).toEqual(['user: Hi', 'assistant: One'])
})

test('AGT-01 refuses every new run and message after the agent was closed', async () => {
  const { agent } = testAgent({ replies: ['One'] })
  const session = agent.session('s')
  await (await session.prompt('Hi')).settled()
  await agent.close()
  for (const use of [...begins(session), () => session.steer('Hi')]) {
    await expect(use()).rejects.toMatchObject({ code: 'agent_closed' })
  }
  expect((await session.messages()).length).toBe(2)
})

test('AGT-01 skips the next run id if a run outside the session has it', async () => {
  const { agent } = testAgent({ replies: ['One', 'Two'], configId: 'c' })
  await agent.run('Alone', { runId: 's.c.1' })
  const session = agent.session('s')
  const run = await session.prompt('Hi')
  await run.settled()
  expect(run.id).toBe('s.c.2')
  expect((await session.messages()).map(say)).toEqual(['user: Hi', 'assistant: One'])
})
