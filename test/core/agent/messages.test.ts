import { expect, test } from 'vitest'
import { call, calls, say } from '../../../proof/support/say.ts'
import { eventsOf, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import type { AgentEvent } from '../../../src/index.ts'
import type { TranscriptMessage } from '../../../src/ports.ts'

const { act, ask } = toolbox()
const replies = [calls(call('c1', 'ask'), call('c2', 'act')), 'Working on it', 'Done']

function lines(messages: readonly TranscriptMessage[]): readonly string[] {
  return messages.map((message) => `${message.place} ${say(message)}`)
}

function told(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'message.ended' ? [`${event.place} ${say(event.message)}`] : []))
}

test('EVT-01 CKP-02 returns the transcript in one call, each message at the place that its event named', async () => {
  const { agent } = testAgent({ replies, tools: [ask(), act()] })
  const run = agent.start('Hi', { runId })
  const events = [...(await eventsOf(run))]
  const waiting = await run.result()
  expect(lines(waiting.messages)).toEqual([
    '2 user: Hi',
    '5 assistant: calls 1.c1 ask, 1.c2 act',
    '7 result 1.c2: act done',
    '15 assistant: Working on it',
  ])
  expect(waiting.messages).toEqual(await run.messages())

  await run.approve('1.c1')
  events.push(...(await eventsOf(run)))
  const whole = [
    '2 user: Hi',
    '5 assistant: calls 1.c1 ask, 1.c2 act',
    '6 result 1.c1: ask heard resume',
    '7 result 1.c2: act done',
    '15 assistant: Working on it',
    "24 user: [Tool 'ask' finished: its result is now above.]",
    '27 assistant: Done',
  ]
  expect(lines(await run.messages())).toEqual(whole)
  expect(told(events).toSorted(byPlace)).toEqual(whole)
  expect((await run.settled()).messages).toEqual(await run.messages())
})

test('EVT-01 CKP-02 returns the same transcript in another process and in the process that drove the run', async () => {
  const { agent, store } = testAgent({ replies: ['Hello'] })
  const { messages } = await agent.run('Hi', { runId })
  expect(lines(messages)).toEqual(['2 user: Hi', '5 assistant: Hello'])
  const other = testAgent({ store, process: 'p2' }).agent
  expect(await (await other.load(runId)).messages()).toEqual(messages)
})

function byPlace(left: string, right: string): number {
  return Number.parseInt(left, 10) - Number.parseInt(right, 10)
}
