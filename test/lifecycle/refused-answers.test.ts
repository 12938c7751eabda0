import { expect, test } from 'vitest'
import { z } from 'zod'
import { transcriptOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { type AgentEvent, createAgent, type Plugin, textOf } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'

const reason = 'It names a customer.'
const note = `user: [The answer was refused: ${reason} Answer again.]`

/** A plugin that refuses what names Ada. */
const discreet: Plugin = {
  name: 'discreet',
  onAnswer: ({ content }) => (JSON.stringify(content).includes('Ada') ? { refuse: reason } : undefined),
}

/** An agent whose model plays its replies by the number of its calls. */
function discreetAgent(replies: Parameters<typeof scripted>[0], options: TestAgentOptions = {}) {
  return testAgent({ model: scripted(replies, { by: 'calls' }), plugins: [discreet], ...options })
}

test('PH-05 asks the model again for an answer that a plugin refuses, and does not store it', async () => {
  const { act, done } = toolbox()
  const refused = {
    ...calls(call('c1', 'act', { who: 'Ada' })),
    text: 'I write to Ada.',
    usage: { input: 5, output: 2 },
  }
  const { agent, store, prompts } = discreetAgent([refused, 'Done.'], { tools: [act()] })
  const run = agent.start('Hi', { runId })
  const events = await eventsOf(run)
  const result = await run.settled()
  expect(result).toMatchObject({ outcome: { reason: 'natural_end' }, text: 'Done.', usage: { input: 5, output: 2 } })
  expect(done).toEqual([])
  expect(await transcriptOf(store, runId)).toEqual(['user: Hi', note, 'assistant: Done.'])
  expect(prompts[1]).toEqual(['user: Hi', note])
  expect(JSON.stringify([events, await store.read(runId)])).not.toContain('Ada')
  const turns = events.flatMap((event) => ('turn' in event ? [`${event.type} ${event.turn}`] : []))
  expect(turns.filter((line) => line.startsWith('turn.'))).toEqual([
    'turn.started 1',
    'turn.ended 1',
    'turn.started 1',
    'turn.ended 1',
  ])
})

test.each<[string, Partial<TestAgentOptions>, number, object]>([
  ['three corrections by default', {}, 4, { reason: 'stopped', code: 'answer_refused' }],
  ['outputRetries of 1', { limits: { outputRetries: 1 } }, 2, { reason: 'stopped', code: 'answer_refused' }],
  ['outputRetries of 0', { limits: { outputRetries: 0 } }, 1, { reason: 'stopped', code: 'answer_refused' }],
  ['two interactions', { limits: { maxToolInteractions: 2 } }, 2, { reason: 'error', code: 'max_tool_interactions' }],
])('PH-05 AGT-11 limits the refusals by %s', async (_, options, asked, outcome) => {
  const { agent, store, prompts } = discreetAgent('Ada.', options)
  const result = await agent.run('Hi', { runId })
  expect(result.outcome).toMatchObject(outcome)
  expect(result.text).toBe('')
  expect(prompts).toHaveLength(asked)
  expect(JSON.stringify(await store.read(runId))).not.toContain('Ada')
})

test('PH-05 AGT-08 refusals and misfits share the corrections of an answer', async () => {
  const replies = ['Ada', '1', 'Ada', '"Bob"']
  const output = z.string().min(2)
  const { agent, prompts } = discreetAgent(replies, { output, limits: { outputRetries: 2 } })
  expect((await agent.run('Who?', { runId })).outcome).toEqual({ reason: 'stopped', code: 'answer_refused' })
  expect(prompts).toHaveLength(3)
})

test('PH-05 AGT-11 ends by the limit, without a text, if the final answer is refused', async () => {
  const { act } = toolbox()
  const replies = [{ ...calls(call('c1', 'act')), text: 'I act.' }, 'Ada.', 'Never asked for.']
  const limits = { maxTurns: 1 }
  const { agent, prompts } = discreetAgent(replies, { tools: [act()], limits, onLimit: 'finish' })
  const result = await agent.run('Hi', { runId })
  expect(result).toMatchObject({ outcome: { reason: 'stopped', code: 'max_turns' }, text: '' })
  expect(prompts).toHaveLength(2)
})

test("PH-05 shows each plugin the previous plugin's text, and calls no plugin after a refusal", async () => {
  const seen: string[] = []
  const second: Plugin = { name: 'second', onAnswer: (answer) => void seen.push(textOf(answer)) }
  const hiding: Plugin = {
    name: 'hiding',
    onAnswer: ({ content }, { turn }) => (turn === 1 ? undefined : { content: [...content] }),
  }
  await discreetAgent(['Ada.', 'Bob.'], { plugins: [hiding, discreet, second] }).agent.run('Hi', { runId })
  expect(seen).toEqual(['Bob.'])
})

test.each([{ refuse: '' }, { refuse: 7 }, { refuse: 'No.', content: [] }, { content: 'Hi' }, false])(
  'PH-05 ends the run in error if a plugin returns %j',
  async (verdict) => {
    const { agent, store } = discreetAgent(['Ada.'], { plugins: [{ name: 'odd', onAnswer: () => verdict as never }] })
    const { outcome } = await agent.run('Hi', { runId })
    const found = 'Plugin "odd" failed in onAnswer: it returned neither content nor a reason to refuse.'
    expect(outcome).toMatchObject({ reason: 'error', error: { message: expect.stringContaining(found) } })
    expect(JSON.stringify(await store.read(runId))).not.toContain('Ada')
  },
)

test.each([0, 1.5, -3, '8', Number.NaN])('PH-05 refuses an answerWindow of %s', (answerWindow) => {
  const plugin = { ...discreet, answerWindow } as Plugin
  expect(() => createAgent({ name: 'x', model: scripted('Hi'), plugins: [plugin] })).toThrow(
    'Expected a whole number of characters, from 1.',
  )
})

test('PH-05 refuses an answerWindow without onAnswer', () => {
  const plugin = { name: 'odd', answerWindow: 8 }
  expect(() => createAgent({ name: 'x', model: scripted('Hi'), plugins: [plugin] })).toThrow(
    'It needs onAnswer, which sees the answer first.',
  )
})

const deltasOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'message.updated' ? [event.delta.delta] : event.type === 'message.started' ? ['|'] : [],
  )

test('PH-05 releases the part of a growing answer that has left the window, and shows the plugin the whole at its end', async () => {
  const seen: string[] = []
  const watching: Plugin = {
    name: 'watching',
    answerWindow: 4,
    onAnswer: (answer, { isWhole }) => void seen.push(`${textOf(answer)}${isWhole ? '.' : ''}`),
  }
  const { agent } = discreetAgent([{ text: 'abcdefghijkl', chunks: 6 }], { plugins: [watching] })
  expect(deltasOf(await eventsOf(agent.start('Hi', { runId })))).toEqual(['|', 'abcd', 'efgh', 'ijkl'])
  expect(seen).toEqual(['abcd', 'abcdefgh', 'abcdefghijkl', 'abcdefghijkl.'])
})

test('PH-05 never releases half a character', async () => {
  const plugins: Plugin[] = [{ name: 'watching', answerWindow: 1, onAnswer: () => undefined }]
  const { agent } = discreetAgent([{ text: 'a😀b😀', chunks: 6 }], { plugins })
  const deltas = deltasOf(await eventsOf(agent.start('Hi', { runId })))
  expect(deltas.every((delta) => delta.isWellFormed())).toBe(true)
  expect(deltas.join('')).toBe('|a😀b😀')
})

test('PH-05 EVT-02 tells readers to discard the released part of an answer that is refused later', async () => {
  const { agent, store } = discreetAgent([{ text: 'I write to Ada.', chunks: 15 }, 'Done.'], {
    plugins: [{ ...discreet, answerWindow: 4 }],
  })
  const run = agent.start('Hi', { runId })
  const deltas = deltasOf(await eventsOf(run))
  expect(deltas.join('')).toBe('|I write ||Done.')
  expect((await run.result()).text).toBe('Done.')
  expect(JSON.stringify(await store.read(runId))).not.toContain('I write')
})

test('PH-05 holds back the whole answer if one of two plugins has no window', async () => {
  const plugins: Plugin[] = [
    { ...discreet, answerWindow: 2 },
    { name: 'slow', onAnswer: () => undefined },
  ]
  const { agent } = discreetAgent([{ text: 'abcdefgh', chunks: 8 }], { plugins })
  expect(deltasOf(await eventsOf(agent.start('Hi', { runId })))).toEqual(['|', 'abcdefgh'])
})

test('PH-05 ends the run in error if a plugin replaces released text', async () => {
  const late: Plugin = {
    name: 'late',
    answerWindow: 2,
    onAnswer: (answer) => ({ content: [{ type: 'text', text: textOf(answer).replaceAll('hunter2', '[hidden]') }] }),
  }
  const { agent, store } = discreetAgent([{ text: 'It is hunter2', chunks: 13 }], { plugins: [late] })
  const { outcome } = await agent.run('Hi', { runId })
  expect(outcome.error?.message).toBe(
    'Plugin "late" failed in onAnswer: it replaced text that was already released. Raise its answerWindow of 2, or leave it out to hold back the whole answer.',
  )
  expect(JSON.stringify(await store.read(runId))).not.toContain('hunter2')
})

test('PH-05 PRV-10 releases the text of a continued answer once, from its beginning', async () => {
  const hiding: Plugin = {
    name: 'hiding',
    answerWindow: 8,
    onAnswer: (answer) => ({ content: [{ type: 'text', text: textOf(answer).replaceAll('hunter2', '[hidden]') }] }),
  }
  const replies = [
    { text: 'Now and then it is hunt', stopReason: 'length' as const, chunks: 23 },
    { text: 'er2, I say.', chunks: 11 },
  ]
  const { agent } = discreetAgent(replies, { plugins: [hiding] })
  const run = agent.start('Hi', { runId })
  const [, first, second] = deltasOf(await eventsOf(run))
    .join('')
    .split('|')
  expect(first).toBe('Now and ')
  expect(second).toBe('Now and then it is [hidden], I say.')
  expect((await run.result()).text).toBe('Now and then it is [hidden], I say.')
})
