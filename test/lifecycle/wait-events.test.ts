import { describe, expect, test } from 'vitest'
import type { AgentEvent, Run } from '../../src/index.ts'
import type { SuspendedCall } from '../../src/ports.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { call, calls, say } from '../../proof/support/say.ts'
import { eventsOf, heldReply, runId, stop, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'

/** An event on one line: what it is about, and for a suspended call its suspension and arguments. */
function told(event: AgentEvent): string {
  const { type } = event
  if (type === 'message.ended') return say(event.message)
  if (type === 'call.suspended') return `${type} ${event.call.suspension?.id ?? ''} ${shown(event.call)}`
  if (type === 'call.decided') return `${type} ${event.callId} ${event.action}`
  if (type === 'call.settled') return `${type} ${event.callId} ${event.status}`
  if (type === 'run.waiting') return `${type} ${event.suspended.map(shown).join(', ')}`
  return type.startsWith('toolExecution') && 'callId' in event ? `${type} ${event.callId}` : type
}

function shown({ callId, arguments: given }: SuspendedCall): string {
  return `${callId} ${JSON.stringify(given)}`
}

/** Without the pieces of an answer, which tell nothing of waits. */
function linesOf(events: readonly AgentEvent[]): readonly string[] {
  return events.filter(({ type }) => type !== 'message.started' && type !== 'message.updated').map(told)
}

/** Drives a run to its rest, and on after each answer; what each drive told. */
async function play(options: TestAgentOptions, ...answers: readonly ((run: Run) => Promise<unknown>)[]) {
  const { agent, store } = testAgent(options)
  const drives = [linesOf(await eventsOf(agent.start('Hi', { runId })))]
  for (const answer of answers) {
    const run = await agent.load(runId)
    await answer(run)
    drives.push(linesOf(await eventsOf(run)))
  }
  return { drives, store }
}

const { act, ask, askAgain } = toolbox()
const gated = act('gated', { needs: 'approval' })

describe("RUN-03 RUN-04 the order of a wait's events", () => {
  test('RUN-03 emits two suspensions, then the answer of one, then of the other, in order', async () => {
    const replies = [calls(call('c1', 'gated', { n: 1 }), call('c2', 'gated', { n: 2 })), 'Bye']
    const { drives } = await play(
      { replies, tools: [gated] },
      (run) => run.approve('1.c2'),
      (run) => run.deny('1.c1'),
    )
    expect(drives).toEqual([
      [
        'run.started',
        'user: Hi',
        'turn.started',
        'assistant: calls 1.c1 gated, 1.c2 gated',
        'call.suspended sus_p1_1 1.c1 {"n":1}',
        'call.suspended sus_p1_2 1.c2 {"n":2}',
        'turn.ended',
        'run.waiting 1.c1 {"n":1}, 1.c2 {"n":2}',
      ],
      [
        'call.decided 1.c2 resume',
        'run.resumed',
        'toolExecution.started 1.c2',
        'toolExecution.ended 1.c2',
        'call.settled 1.c2 succeeded',
        'result 1.c2: gated done',
        'run.waiting 1.c1 {"n":1}',
      ],
      [
        'call.decided 1.c1 cancel',
        'run.resumed',
        'call.settled 1.c1 cancelled',
        'result 1.c1 (error): User denied the action',
        'turn.started',
        'assistant: Bye',
        'turn.ended',
        'run.ended',
      ],
    ])
  })

  test('RUN-03 emits a second wait after a decision, in a later turn', async () => {
    const replies = [calls(call('c1', 'gated')), calls(call('c2', 'gated', { n: 2 })), 'Bye']
    const { drives } = await play({ replies, tools: [gated] }, (run) => run.approve())
    expect(drives[1]).toEqual([
      'call.decided 1.c1 resume',
      'run.resumed',
      'toolExecution.started 1.c1',
      'toolExecution.ended 1.c1',
      'call.settled 1.c1 succeeded',
      'result 1.c1: gated done',
      'turn.started',
      'assistant: calls 2.c2 gated',
      'call.suspended sus_p1_2 2.c2 {"n":2}',
      'turn.ended',
      'run.waiting 2.c2 {"n":2}',
    ])
  })

  test('RUN-03 CKP-02 a call that suspends again emits its new suspension and the edited arguments', async () => {
    const replies = [calls(call('c1', 'ask', { n: 1 })), 'Bye']
    const { drives } = await play({ replies, tools: [askAgain('ask', 2)] }, (run) => run.edit(undefined, { n: 2 }))
    expect(drives).toEqual([
      [
        'run.started',
        'user: Hi',
        'turn.started',
        'assistant: calls 1.c1 ask',
        'toolExecution.started 1.c1',
        'toolExecution.ended 1.c1',
        'call.suspended sus_p1_1 1.c1 {"n":1}',
        'turn.ended',
        'run.waiting 1.c1 {"n":1}',
      ],
      [
        'call.decided 1.c1 resume',
        'run.resumed',
        'toolExecution.started 1.c1',
        'toolExecution.ended 1.c1',
        'call.suspended sus_p1_2 1.c1 {"n":2}',
        'run.waiting 1.c1 {"n":2}',
      ],
    ])
  })

  test('RUN-03 emits a call suspended next to others, and later its late result followed by the note', async () => {
    const replies = [calls(call('c1', 'act'), call('c2', 'gated')), 'Not yet', 'Bye']
    const { drives } = await play({ replies, tools: [act(), gated] }, (run) => run.approve())
    expect(drives).toEqual([
      [
        'run.started',
        'user: Hi',
        'turn.started',
        'assistant: calls 1.c1 act, 1.c2 gated',
        'call.suspended sus_p1_1 1.c2 {}',
        'toolExecution.started 1.c1',
        'toolExecution.ended 1.c1',
        'call.settled 1.c1 succeeded',
        'result 1.c1: act done',
        'turn.ended',
        'turn.started',
        'assistant: Not yet',
        'turn.ended',
        'run.waiting 1.c2 {}',
      ],
      [
        'call.decided 1.c2 resume',
        'run.resumed',
        'toolExecution.started 1.c2',
        'toolExecution.ended 1.c2',
        'call.settled 1.c2 succeeded',
        'result 1.c2: gated done',
        "user: [Tool 'gated' finished: its result is now above.]",
        'turn.started',
        'assistant: Bye',
        'turn.ended',
        'run.ended',
      ],
    ])
  })

  test("RUN-03 emits the calls of one commit in the model's order", async () => {
    const replies = [calls(call('c1', 'ask'), call('c2', 'ask'))]
    const { drives } = await play({ executor: 'sequential', replies, tools: [ask()] })
    expect(drives[0]?.slice(-6)).toEqual([
      'toolExecution.ended 1.c1',
      'call.suspended sus_p1_1 1.c1 {}',
      'call.settled 1.c2 failed',
      'result 1.c2 (error): [Not executed: an earlier call is waiting for a decision.]',
      'turn.ended',
      'run.waiting 1.c1 {}',
    ])
  })

  test('RUN-03 emits a hold at the start after the message that it delays', async () => {
    const plugins = [{ name: 'holder', runStart: ({ suspend }: { suspend(ticket: object): void }) => suspend({}) }]
    const { drives } = await play({ replies: ['Bye'], plugins })
    expect(drives[0]).toEqual([
      'run.started',
      'user: Hi',
      'call.suspended sus_p1_1 0.hold_p1_1 {}',
      'run.waiting 0.hold_p1_1 {}',
    ])
  })
})

test('RUN-03 CKP-02 the events contain the same complete calls as the result', async () => {
  const replies = [calls(call('c1', 'gated', { n: 1 }), call('c2', 'gated', { n: 2 }))]
  const { agent } = testAgent({ replies, tools: [gated] })
  const events = await eventsOf(agent.start('Hi', { runId }))
  const { suspended } = await (await agent.load(runId)).result()
  expect(suspended.map(({ arguments: given }) => given)).toEqual([{ n: 1 }, { n: 2 }])
  expect(events.flatMap((event) => (event.type === 'call.suspended' ? [event.call] : []))).toEqual(suspended)
  expect(events.flatMap((event) => (event.type === 'run.waiting' ? event.suspended : []))).toEqual(suspended)
})

describe('RUN-03 RUN-04 events of several processes', () => {
  test('RUN-04 the driver emits a decision from a second process', async () => {
    const store = memoryStore()
    const second = heldReply()
    const replies = [calls(call('c1', 'act'), call('c2', 'gated', { n: 2 })), second.reply, 'Bye']
    const first = testAgent({ replies, store, tools: [act(), gated] })
    const other = testAgent({ store, process: 'p2', tools: [act(), gated] })
    const events: AgentEvent[] = []
    for await (const event of first.agent.start('Hi', { runId })) {
      events.push(event)
      if (event.type === 'turn.ended' && event.turn === 1) await (await other.agent.load(runId)).approve('1.c2')
      if (event.type === 'call.settled' && event.callId === '1.c2') second.give('Not yet')
    }
    const lines = linesOf(events)
    expect(lines.slice(lines.indexOf('turn.ended') + 1)).toEqual([
      'turn.started',
      'call.decided 1.c2 resume',
      'toolExecution.started 1.c2',
      'toolExecution.ended 1.c2',
      'call.settled 1.c2 succeeded',
      'assistant: Not yet',
      'turn.ended',
      'result 1.c2: gated done',
      "user: [Tool 'gated' finished: its result is now above.]",
      'turn.started',
      'assistant: Bye',
      'turn.ended',
      'run.ended',
    ])
  })

  test('RUN-03 a process that takes a run over emits the call that it found interrupted, then the wait', async () => {
    const store = memoryStore()
    const clock = fakeClock()
    const held = heldTool('held')
    const replies = [calls(call('c1', 'held', { n: 1 })), 'Bye']
    const first = testAgent({ replies, store, clock, tools: [held.tool] })
    const run = first.agent.start('Hi', { runId })
    const driving = run.settled()
    await held.begins('1.c1')
    await stop(run, driving)
    const second = testAgent({ replies, store, clock, process: 'p2', tools: [held.tool] })
    const third = testAgent({ replies, store, clock, process: 'p3', tools: [act('held')] })
    const taken = linesOf(await eventsOf(await second.agent.load(runId)))
    const last = await third.agent.load(runId)
    await last.approve()
    expect([taken, linesOf(await eventsOf(last))]).toEqual([
      ['call.suspended sus_p2_1 1.c1 {"n":1}', 'turn.ended', 'run.waiting 1.c1 {"n":1}'],
      [
        'call.decided 1.c1 resume',
        'run.resumed',
        'toolExecution.started 1.c1',
        'toolExecution.ended 1.c1',
        'call.settled 1.c1 succeeded',
        'result 1.c1: held done',
        'turn.started',
        'assistant: Bye',
        'turn.ended',
        'run.ended',
      ],
    ])
  })
})
