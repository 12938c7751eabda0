import { expect, test } from 'vitest'
import { createActor, toPromise, waitFor } from 'xstate'
import { call, calls, say } from '../../../proof/support/say.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import type { PlainLog } from '../../../src/index.ts'

test("AGT-01 a bare actor continues from another's output, with new ids for its calls", async () => {
  const { act } = toolbox()
  const replies = [calls(call('a', 'act')), 'One', calls(call('a', 'act')), 'Two']
  const { agent, prompts } = testAgent({ replies, tools: [act()] })
  const first = await toPromise(createActor(agent.machine, { input: 'Hi' }).start())
  const after = JSON.parse(JSON.stringify(first))
  const triggers: string[] = []
  const actor = createActor(agent.machine, { input: agent.machineInput('More', { after }) })
  actor.on('turn.started', ({ trigger }) => void triggers.push(trigger))
  const { text, messages } = await toPromise(actor.start())
  expect(text).toBe('Two')
  expect(triggers).toEqual(['continuation', 'continuation'])
  expect(messages.map(say)).toEqual([
    ...first.messages.map(say),
    'user: More',
    'assistant: calls 2.a act',
    'result 2.a: act done',
    'assistant: Two',
  ])
  expect(prompts.at(-1)?.slice(0, 4)).toEqual(first.messages.map(say))
})

test('AGT-01 CKP-03 a continuing bare actor can be restored elsewhere, and emits only the events of its own part', async () => {
  const { act } = toolbox()
  const tools = [act('act', { needs: 'approval' })]
  const replies = ['One', calls(call('a', 'act')), 'Two']
  const { agent } = testAgent({ replies, tools })
  const after = await toPromise(createActor(agent.machine, { input: 'Hi' }).start())
  let log: PlainLog | undefined
  const machine = agent.provide({ onLog: (kept) => (log = kept) })
  const actor = createActor(machine, { input: agent.machineInput('More', { after }) })
  await waitFor(actor.start(), ({ status, value }) => status !== 'active' || value === 'waiting')
  const saved = JSON.stringify({ snapshot: actor.getPersistedSnapshot(), log })
  actor.stop()
  const kept = JSON.parse(saved)
  const other = testAgent({ replies, tools, process: 'p2' }).agent
  const second = createActor(other.provide({ log: kept.log }), { snapshot: kept.snapshot })
  const told: number[] = []
  second.on('message.ended', (event) => void told.push(event.place))
  second.start()
  const [asked] = await other.decide(second, [{ target: '1.a', action: 'resume' }])
  expect(asked?.answer).toBe('applied')
  const { text, messages } = await toPromise(second)
  expect(text).toBe('Two')
  expect(messages.slice(0, 2).map(say)).toEqual(['user: Hi', 'assistant: One'])
  expect(told[0]).toBeGreaterThan(2)
})

test.each([
  ['what is no output', 3, 'bad_option'],
  ['messages that are none', { messages: [{ role: 'wizard' }] }, 'bad_transcript'],
])('AGT-01 refuses to continue from %s', (_, after, code) => {
  const { agent } = testAgent()
  expect(() => agent.machineInput('Hi', { after: after as never })).toThrow(expect.objectContaining({ code }))
})
