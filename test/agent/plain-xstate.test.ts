import { expect, test } from 'vitest'
import { createActor, type Snapshot, waitFor } from 'xstate'
import { runMachine } from '../../machines/run/run.machine.ts'
import { createAgent, type LogEntry, type Model, provideRun } from '../../src/index.ts'
import { textOf } from '../../src/domain/message.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { testAgent } from '../../proof/support/test-agent.ts'

const replies = [
  { toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] },
  { toolCalls: [{ id: 'c2', name: 'write', arguments: {} }] },
  'Bye',
]

function asking() {
  const { done, act } = toolbox()
  const tools = [act('look', { effects: 'none' }), act('write', { needs: 'approval' })]
  return { done, ...testAgent({ replies, tools }) }
}

test('RUN-09 runs as a plain XState actor, waits, takes a decision as an event and ends', async () => {
  const { agent, done, clock } = asking()
  const actor = createActor(agent.machine, { input: agent.machineInput('Hi') })
  actor.start()
  const waiting = await waitFor(actor, (snapshot) => snapshot.value === 'waiting')
  const [entry] = Object.values(waiting.context.calls)
  expect(done).toEqual(['look {}'])

  actor.send({
    type: 'decision.received',
    at: clock.now(),
    decision: {
      inboxId: 0,
      decisionId: 'd1',
      callId: entry?.callId ?? '',
      suspensionId: entry?.suspension?.id ?? '',
      action: 'resume',
      input: { edited: true },
    },
  })
  const end = await waitFor(actor, (snapshot) => snapshot.status === 'done')
  expect(end.output).toEqual({ outcome: { reason: 'natural_end' } })
  expect(done).toEqual(['look {}', 'write {"edited":true}'])
})

test('RUN-09 keeps the logs of two actors of one machine apart', async () => {
  const { agent, prompts } = asking()
  const actors = ['One', 'Two'].map((text) => createActor(agent.machine, { input: agent.machineInput(text) }))
  for (const actor of actors) actor.start()
  for (const actor of actors) await waitFor(actor, (snapshot) => snapshot.value === 'waiting')
  const firsts = prompts.map(([first]) => first)
  expect(new Set(firsts).size).toBe(2)
  for (const prompt of prompts) expect(prompt.filter((line) => line.startsWith('user'))).toHaveLength(1)
})

test('RUN-09 keeps the parts of two cut-off answers apart', async () => {
  const speaker = scripted(['unused'])
  const model: Model = {
    ...speaker,
    stream: (request) => {
      const [first] = request.messages
      const name = first === undefined ? '' : textOf(first)
      const isContinued = request.messages.length > 1
      const reply = isContinued ? { text: ` ends ${name}` } : { text: `${name} begins`, stopReason: 'length' as const }
      return scripted([reply], { by: 'calls' }).stream(request)
    },
  }
  const { agent, prompts } = testAgent({ model })
  const actors = ['One', 'Two'].map((text) => createActor(agent.machine, { input: agent.machineInput(text) }))
  for (const actor of actors) actor.start()
  for (const actor of actors) await waitFor(actor, (snapshot) => snapshot.status === 'done')
  expect(prompts.filter((prompt) => prompt.length > 1)).toEqual([
    ['user: One', 'assistant: One begins', 'user: Continue exactly where you stopped.'],
    ['user: Two', 'assistant: Two begins', 'user: Continue exactly where you stopped.'],
  ])
})

test('RUN-09 CKP-03 goes on twice from one snapshot, each actor with effects of its own', async () => {
  const { agent } = testAgent({ replies: ['Bye'] })
  const input = agent.machineInput('Hi')
  const first = createActor(agent.machine, { input })
  first.start()
  const snapshot = first.getPersistedSnapshot()
  first.stop()
  const twins = [1, 2].map(() => createActor(agent.machine, { input, snapshot: structuredClone(snapshot) }))
  for (const twin of twins) twin.start()
  for (const twin of twins) await waitFor(twin, ({ status }) => status === 'done')
  expect(twins.map((twin) => twin.getSnapshot().output)).toEqual([
    { outcome: { reason: 'natural_end' } },
    { outcome: { reason: 'natural_end' } },
  ])
})

test('RUN-09 swaps parts by provide and shows every actor to inspect', async () => {
  const { agent } = asking()
  const seen = new Set<string>()
  const announced: string[] = []
  const machine = agent.machine.provide({ actions: { announceEnd: () => void announced.push('end') } })
  const actor = createActor(machine, {
    input: agent.machineInput('Hi'),
    inspect: (event) => {
      if (event.type === '@xstate.actor' && 'id' in event.actorRef) seen.add(String(event.actorRef.id))
    },
  })
  actor.start()
  await waitFor(actor, (snapshot) => snapshot.value === 'waiting')
  expect(announced).toEqual(['end'])
  expect([...seen]).toEqual(expect.arrayContaining(['modelCall', 'callModel', '1.c1', 'runTool', '2.c2']))
})

test('RUN-09 names the actor to provide where a bare machine is run', async () => {
  const { agent } = asking()
  const actor = createActor(runMachine, { input: agent.machineInput('Hi') })
  const failed = new Promise((resolve) => actor.subscribe({ error: resolve }))
  actor.start()
  expect(String(await failed)).toMatch(/Provide the actor "(keepTime|callModel)"/)
})

test('RUN-09 goes on elsewhere from a snapshot and the log that was kept beside it', async () => {
  const { done, act } = toolbox()
  const options = {
    name: 'plain',
    model: scripted([{ toolCalls: [{ id: 'c1', name: 'write', arguments: { text: 'Hi' } }] }, 'Bye']),
    tools: [act('write', { needs: 'approval' })],
  }
  const { machineInput } = createAgent(options)
  const logs: (readonly LogEntry[])[] = []
  const first = createActor(provideRun({ ...options, onLog: (log) => void logs.push(log) }), {
    input: machineInput('Hi'),
  })
  first.start()
  const { context } = await waitFor(first, (snapshot) => snapshot.value === 'waiting')
  const [call] = Object.values(context.calls)
  const saved = JSON.stringify({ snapshot: first.getPersistedSnapshot(), log: logs.at(-1) })
  first.stop()

  const { snapshot, log } = JSON.parse(saved) as { snapshot: Snapshot<unknown>; log: readonly LogEntry[] }
  const second = createActor(provideRun({ ...options, log }), { input: machineInput('Hi'), snapshot })
  second.start()
  const { callId = '', suspension } = call ?? {}
  const decision = {
    inboxId: 0,
    decisionId: 'd1',
    callId,
    suspensionId: suspension?.id ?? '',
    action: 'resume' as const,
  }
  second.send({ type: 'decision.received', at: 0, decision })
  const end = await waitFor(second, ({ status }) => status === 'done')
  expect(end.output).toEqual({ outcome: { reason: 'natural_end' } })
  expect(done).toEqual(['write {"text":"Hi"}'])
})
