import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contract, createAgent, ModelError, tool, type Tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { playOnce, playWithStops } from '../../../src/testing/recordings/play-recording.ts'
import { recordingFile } from '../../../src/testing/recordings/recording-file.ts'
import { recordRun } from '../../../src/testing/recordings/record-run.ts'
import type { AgentUnderTest } from '../../../src/testing/paths/tested-options.ts'
import { listOutgoing } from '../../../src/core/driving/list-outgoing.ts'
import { answerTo, readEvent } from '../../../src/core/domain/service-event.ts'

const secret = 'Zq7-Käse/42'

const send = tool({
  name: 'send',
  description: 'Sends money.',
  input: z.object({ amount: z.number(), to: z.string() }),
  needs: 'approval',
  execute: ({ to }) => `Sent to ${to}`,
})
const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ name: z.string() }),
  effects: 'none',
  execute: ({ name }) => `Seen ${name}`,
})
const dig = tool({
  name: 'dig',
  description: 'Digs.',
  input: z.object({}),
  needs: 'approval',
  execute: () => `Found ${secret}`,
})
const pay = contract({ type: 'pay', version: '1', accepts: { type: 'object' }, emits: { paid: { type: 'object' } } })
const helper = createAgent({
  name: 'helper',
  tools: [dig],
  model: scripted([{ toolCalls: [{ id: 'd1', name: 'dig', arguments: {} }] }, `Found ${secret}.`]),
})
const help = helper.asTool({ name: 'help', description: 'Helps.', input: z.object({ prompt: z.string() }) })
const options: AgentUnderTest = {
  name: 'clerk',
  tools: [send, look, help],
  services: [pay],
  onModelFailure: 'wait',
  retry: { maxRetries: 0 },
}

const calling = (name: string, given: Record<string, unknown>) => ({
  text: `I call ${name} for ${secret}.`,
  toolCalls: [{ id: 'c1', name, arguments: given as never }],
})

/** Drives a run that looks, has a sub-agent dig, pays by a service, sends, and once has no model. */
async function driven() {
  const store = memoryStore()
  let isOut = true
  const model = scripted(({ messages }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length
    if (turn === 2 && isOut) {
      isOut = false
      throw new ModelError('network', 'No answer.')
    }
    return (
      [
        calling('look', { name: secret }),
        calling('help', { prompt: `Dig for ${secret}` }),
        calling('pay', { who: secret }),
        calling('send', { amount: 4242, to: secret }),
      ][turn] ?? `Done for ${secret}.`
    )
  })
  const agent = createAgent({ ...options, store, model })
  const run = agent.start(`Pay ${secret}.`, { runId: 'r1' })
  for (let waits = 0; waits < 9; waits++) {
    const { status, suspended } = await run.settled()
    if (status === 'done') return store
    for (const { callId, suspension } of suspended) {
      if (suspension?.reason !== 'service') {
        await run.approve(callId, { by: secret })
        continue
      }
      const rows = await listOutgoing(store, { runId: 'r1' })
      const read = readEvent(rows.find(({ kind }) => kind === 'event')?.body)
      if (!('event' in read)) throw new Error('No event left.')
      await run.receive(answerTo(read.event, { source: '/bank', type: 'paid', data: { ok: secret } }))
    }
  }
  throw new Error('The run does not end.')
}

describe('TST-05 runs that waited', () => {
  test('TST-05 records a run that waited, and replays it with a stop at each write, without its sub-agent and service', async () => {
    const { recording } = await recordRun(options, await driven(), 'r1')
    expect(recording.ends.calls).toEqual({
      '1.c1': 'succeeded',
      '2.c1': 'succeeded',
      '3.c1': 'succeeded',
      '4.c1': 'succeeded',
    })
    expect(recording.decisions.map(({ call }) => call)).toEqual(['3.c1', '4.c1'])
    expect(await playWithStops(options, recording)).toEqual([])
  })

  const without = (name: string) => [send, look, help].filter((one) => one.name !== name)
  const other = (name: string, change: Partial<Tool>) =>
    [send, look, help].map((one): Tool => (one.name === name ? { ...one, ...change } : one))

  test('TST-05 a recording of a run that waited fails with each of 20 changes of the agent', async () => {
    const { recording } = await recordRun(options, await driven(), 'r1')
    const changes: readonly Partial<AgentUnderTest>[] = [
      ...['send', 'look', 'help'].map((name) => ({ tools: without(name) })),
      { services: [] },
      { tools: other('send', { needs: () => false }) },
      { tools: other('look', { needs: 'approval' }) },
      { tools: other('help', { needs: 'approval' }) },
      ...['send', 'look', 'help', 'pay'].map((name) => ({ permissions: { rules: { deny: [name] } } })),
      ...['look', 'help', 'pay'].map((name) => ({ permissions: { rules: { ask: [name] } } })),
      { tools: other('send', { input: z.object({ amount: z.number(), to: z.string(), note: z.string() }) }) },
      { tools: other('look', { input: z.object({ name: z.number() }) }) },
      { limits: { maxTurns: 2 } },
      { limits: { maxToolInteractions: 2 } },
      { output: z.object({ sum: z.number() }) },
      { tools: other('send', { name: 'transfer' }) },
    ]
    expect(changes).toHaveLength(20)
    const passed: number[] = []
    for (const [place, change] of changes.entries())
      if ((await playOnce({ ...options, ...change }, recording)).length === 0) passed.push(place)
    expect(passed).toEqual([])
  })

  test('TST-05 the file of a run that waited shows none of 30 spellings of a secret', async () => {
    const bytes = Buffer.from(secret)
    const spellings = [
      ...[
        secret,
        secret.toLowerCase(),
        secret.toUpperCase(),
        secret.normalize('NFD'),
        [...secret].toReversed().join(''),
      ],
      ...[encodeURIComponent(secret), encodeURI(secret), encodeURIComponent(encodeURIComponent(secret))],
      ...(['base64', 'base64url', 'hex', 'latin1', 'utf16le'] as const).map((form) => bytes.toString(form)),
      ...[btoa('Zq7'), escape(secret), JSON.stringify(secret), JSON.stringify({ [secret]: secret })],
      ...[[...secret].join(' '), [...secret].join('\u200b'), secret.replace('-', '\u2010'), secret.replace('/', '\\')],
      ...[`https://${encodeURIComponent(secret)}.example.org`, `${encodeURIComponent(secret)}@bank.test`],
      ...[`./${secret}.txt`, `'${secret}'`, `"${secret}`, `\u202e${secret}`, secret.slice(0, 8), secret.slice(4)],
      secret.replaceAll('-', ''),
      String(Number.parseInt(bytes.toString('hex').slice(0, 12), 16)),
    ]
    expect(new Set(spellings).size).toBe(30)
    const store = memoryStore()
    const looks = spellings.map((name, place) => ({ id: `c${place}`, name: 'look', arguments: { name } }))
    const noted = { id: 'n', name: 'look', arguments: { name: 'x', [secret]: spellings } as never }
    const model = scripted([{ text: spellings.join('\n'), toolCalls: [...looks, noted] }, spellings.join(' ')])
    await createAgent({ ...options, store, model }).run(spellings.join(', '), { runId: 'r1' })
    const { recording } = await recordRun(options, store, 'r1')
    const text = recordingFile(recording, { module: './clerk.ts', exported: 'options' })
    expect(spellings.filter((spelling) => text.includes(spelling))).toEqual([])
    expect(await playOnce(options, recording)).toEqual([])
  })
})
