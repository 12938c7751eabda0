import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { recordingFile } from '../../../src/testing/recordings/recording-file.ts'
import { recordRun } from '../../../src/testing/recordings/record-run.ts'
import { playWithStops } from '../../../src/testing/recordings/play-recording.ts'
import type { Recording } from '../../../src/testing/recordings/recording.ts'
import type { AgentSource } from '../../../src/testing/paths/agent-under-test.ts'

const send = tool({
  name: 'send',
  description: 'Sends money.',
  input: z.object({ to: z.string(), amount: z.number(), note: z.record(z.string(), z.string()).optional() }),
  needs: ({ amount }) => amount > 100,
  execute: ({ to, amount }) => `Sent ${amount} to ${to}`,
})
const look = tool({
  name: 'look',
  description: 'Looks up an account.',
  input: z.object({ email: z.email() }),
  effects: 'none',
  execute: ({ email }) => `Account of ${email}`,
})
const ask = tool({
  name: 'ask',
  description: 'Asks for a colour.',
  input: z.object({}),
  execute: (_, { decision, suspend }) => (decision === undefined ? suspend({ reason: 'input' }) : 'blue'),
})
const options = { name: 'clerk', tools: [send, look, ask] }

/** Drives a run of the clerk to its end, and returns its store. */
async function driven(replies: Parameters<typeof scripted>[0], answer: 'approve' | 'deny' = 'approve') {
  const store = memoryStore()
  const agent = createAgent({ ...options, store, model: scripted(replies) })
  const run = agent.start('Pay Ada.', { runId: 'r1' })
  while ((await run.settled()).status !== 'done') {
    for (const { callId } of (await run.result()).suspended) {
      if (answer === 'approve') await run.approve(callId, { by: 'Ann' })
      else await run.deny(callId, { by: 'Ann', reason: 'Too much for Ada' })
    }
  }
  return store
}

const paying = (amount: number) => [
  { text: 'I look.', toolCalls: [{ id: 'c1', name: 'look', arguments: { email: 'ada@bank.test' } }] },
  { toolCalls: [{ id: 'c2', name: 'send', arguments: { to: 'Ada', amount, note: { secretKey: 'Ada' } } }] },
  'Paid Ada.',
]
const secrets = ['Ada', 'ada@bank', 'Ann', 'secretKey', '900', '50', 'Too much']

describe('TST-05 recordings', () => {
  test('TST-05 a recording contains no text, number or key of the run, keeps equal values equal, and replays with a stop at each write', async () => {
    const store = await driven(paying(50))
    const { recording, hidden } = await recordRun(options, store, 'r1')
    const text = JSON.stringify(recording)
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    expect(hidden).toEqual([
      'answers',
      'look.email',
      'send.to',
      'send.amount',
      'send.note',
      'send.note.secretKey',
      'results.look',
      'results.send',
      'prompt',
    ])
    const [, paid] = recording.answers.flatMap(({ calls = [] }) => calls)
    const given = JSON.stringify(paid?.arguments)
    expect(given).toBe('{"to":"hidden-3","amount":1,"note":{"hidden-4":"hidden-3"}}')
    expect(recording.ends).toEqual({ reason: 'natural_end', calls: { '1.c1': 'succeeded', '2.c2': 'succeeded' } })
    expect(await playWithStops(options, recording)).toEqual([])
  })

  test('TST-05 keeps the value that a rule reads, and names its field if it is hidden', async () => {
    const store = await driven(paying(900))
    await expect(recordRun(options, store, 'r1')).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('The agent reads the hidden value of send.amount.'),
    })
    const { recording } = await recordRun(options, store, 'r1', { allow: ['send.amount'] })
    expect(recording.decisions).toEqual([{ call: '2.c2', action: 'resume', by: expect.stringMatching(/^hidden-/) }])
    expect(await playWithStops(options, recording)).toEqual([])
  })

  test("TST-05 records a denial, a tool's question, and parallel calls", async () => {
    const denied = await recordRun(options, await driven(paying(900), 'deny'), 'r1', { allow: ['send.amount'] })
    expect(denied.recording.ends.calls).toEqual({ '1.c1': 'succeeded', '2.c2': 'cancelled' })
    expect(await playWithStops(options, denied.recording)).toEqual([])
    const both = [
      {
        toolCalls: [
          { id: 'c1', name: 'ask', arguments: {} },
          { id: 'c2', name: 'look', arguments: { email: 'b@c.test' } },
        ],
      },
      'Waiting',
      'Done',
    ]
    const asked = await recordRun(options, await driven(both), 'r1')
    expect(asked.recording.results['1.c1']).toMatchObject({ asks: 1, status: 'success' })
    expect(await playWithStops(options, asked.recording)).toEqual([])
  })

  test('TST-05 records a message to the run, which the same turn reads first', async () => {
    const store = memoryStore()
    const agent = createAgent({
      ...options,
      store,
      model: scripted([
        async () => {
          await run.steer('Hurry, Ada waits')
          return { toolCalls: [{ id: 'c1', name: 'look', arguments: { email: 'a@b.test' } }] }
        },
        'Done.',
      ]),
    })
    const run = agent.start('Pay Ada.', { runId: 'r1' })
    await run.settled()
    const { recording } = await recordRun(options, store, 'r1', { allow: ['said'] })
    expect(recording.said).toEqual([{ kind: 'steer', text: 'Hurry, Ada waits', turn: 2 }])
    expect(await playWithStops(options, recording)).toEqual([])
  })

  test('TST-05 a recording fails with an agent that no longer asks', async () => {
    const store = await driven(paying(900))
    const { recording } = await recordRun(options, store, 'r1', { allow: ['send.amount'] })
    const careless: AgentSource = { ...options, tools: [{ ...send, needs: () => false }, look, ask] }
    const problems = await playWithStops(careless, recording)
    expect(problems[0]).toBe('Call "2.c2" was not asked about as often as recorded.')
  })

  test('TST-05 refuses to record before the end, and if the agent no longer ends the run the same way', async () => {
    const store = memoryStore()
    const agent = createAgent({ ...options, store, model: scripted(paying(900)) })
    await agent.run('Pay Ada.', { runId: 'r1' })
    await expect(recordRun(options, store, 'r1')).rejects.toMatchObject({ code: 'run_busy' })
    const without = { name: 'clerk', tools: [look] }
    await expect(recordRun(without, await driven(paying(50)), 'r1')).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('Run "r1" ends otherwise with this agent.'),
    })
  })
})

describe('TST-05 files', () => {
  test("TST-05 the file's literal reads back as the recording, with any texts in it", () => {
    const odd = ['\u2028', "it's", '"', '\\', '\\"', '`${x}`', '\n', '*/', '</script>', '\u0000', "\\'"]
    const recording: Recording = {
      prompt: odd.join(' '),
      answers: odd.map((text) => ({
        text,
        calls: [{ id: text, name: 'x', arguments: { [text]: text, ['__proto__']: 1 } }],
      })),
      results: {},
      decisions: [],
      said: [],
      ends: { reason: 'natural_end', calls: {} },
    }
    const file = recordingFile(recording, { module: './clerk.mts', exported: 'options' })
    const literal = file.slice(
      file.indexOf('  options,\n') + '  options,\n'.length,
      file.lastIndexOf(',\n  { describe'),
    )
    expect(JSON.stringify(runInNewContext(`(${literal})`))).toBe(JSON.stringify(recording))
  })
})
