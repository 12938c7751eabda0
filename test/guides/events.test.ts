import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type AgentEvent, ModelError, type Plugin } from '../../src/index.ts'
import { readEventTree } from '../../proof/support/event-tree.ts'
import { call, calls } from '../../proof/support/say.ts'
import { eventsOf, heldReply, runId, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { heldTool, toolbox, toolNamed } from '../../proof/support/tools.ts'

const page = readFileSync('docs/guides/events.md', 'utf8')
const reference = readFileSync('docs/reference/events.md', 'utf8')
const tree = readEventTree(page)

/** Events that have no place of their own; the compiler asks for every other one, too. */
const kinds: Record<AgentEvent['type'], 'in order' | 'anywhere'> = {
  'run.started': 'in order',
  'run.resumed': 'in order',
  'run.waiting': 'in order',
  'run.ended': 'in order',
  'turn.started': 'in order',
  'turn.ended': 'in order',
  'message.started': 'in order',
  'message.updated': 'in order',
  'output.updated': 'in order',
  'message.ended': 'in order',
  'model.failed': 'in order',
  'toolExecution.started': 'in order',
  'toolExecution.updated': 'in order',
  'toolExecution.ended': 'in order',
  'progress.reported': 'in order',
  'call.suspended': 'in order',
  'call.settled': 'in order',
  'call.decided': 'anywhere',
  'state.changed': 'anywhere',
  'context.compacted': 'anywhere',
  'context.partFailed': 'anywhere',
  'context.drifted': 'anywhere',
  'memory.failed': 'anywhere',
  'calls.dropped': 'anywhere',
  'input.rejected': 'anywhere',
  'hook.failed': 'anywhere',
  'options.ignored': 'anywhere',
  'model.unpriced': 'anywhere',
  'commit.delayed': 'anywhere',
  'toolset.failed': 'anywhere',
  'tool.leftOut': 'anywhere',
  'permission.failed': 'anywhere',
  'policy.broken': 'anywhere',
  'decision.dropped': 'anywhere',
  'plugin.conflict': 'anywhere',
  'branches.started': 'anywhere',
  'branches.ended': 'anywhere',
  'evaluation.failed': 'anywhere',
  'listener.failed': 'anywhere',
}
const typesOf = (kind: string) => Object.entries(kinds).flatMap(([type, of]) => (of === kind ? [type] : []))

test('EVT-01 the reference has every event, and its tree every event with a place in it', () => {
  const rows = [...reference.matchAll(/^## `(\w+\.\w+)`$/gm)].map(([, name]) => name)
  expect(new Set(rows)).toEqual(new Set(Object.keys(kinds)))
  expect(rows).toHaveLength(Object.keys(kinds).length)
  expect(tree.names).toEqual(new Set(typesOf('in order')))
})

const { act, fail } = toolbox()
const gated = act('gated', { needs: 'approval' })
const asks = toolNamed('asks', (_, { decision, suspend }) => (decision === undefined ? suspend({}) : 'heard'))
const talks = toolNamed(
  'talks',
  (_, { attempt, progress, update, patch }) => {
    progress('half')
    update({ done: 1 })
    patch([{ path: ['talked'], value: attempt }])
    if (attempt === 1) throw new Error('not yet')
    return 'talked'
  },
  { effects: 'none', retry: { attempts: 2, baseMs: 0 } },
)
const holds: Plugin = { name: 'guard', runStart: ({ isResumed, suspend }) => void (isResumed || suspend()) }
const overloaded = new ModelError('network', 'Overloaded')

/** Drives a run until it is done, whatever is asked approved; all it told. */
async function play(options: TestAgentOptions): Promise<readonly AgentEvent[]> {
  const { agent } = testAgent(options)
  const run = agent.start('Hi', { runId })
  const events = [...(await eventsOf(run))]
  for (let waits = 0; waits < 3; waits++) {
    const { status, suspended } = await run.result()
    if (status === 'done') return events
    for (const { callId } of suspended) await run.approve(callId)
    events.push(...(await eventsOf(run)))
  }
  throw new Error(`The run still waits: ${sequence(events)}`)
}

/** The emitted events in the form of the tree's patterns; only those of one call, if its id is given. */
function sequence(events: readonly AgentEvent[], callId?: string): string {
  const ordered = events.filter(({ type }) => kinds[type] === 'in order')
  const told = callId === undefined ? ordered : ordered.filter((event) => callIdOf(event) === callId)
  return told.map(({ type }) => `${type};`).join('')
}

function callIdOf(event: AgentEvent): string | undefined {
  if ('callId' in event) return event.callId
  if ('message' in event && typeof event.message === 'object') {
    return event.message.role === 'toolResult' ? event.message.callId : undefined
  }
  return 'call' in event ? event.call.callId : undefined
}

/** The events of a run, or of one of its calls, that are not in the tree's order. */
function strangeIn(events: readonly AgentEvent[]): readonly string[] {
  const told = sequence(events)
  const ofCalls = events.flatMap((event) => callIdOf(event) ?? []).map((callId) => sequence(events, callId))
  return [...(tree.run.test(told) ? [] : [told]), ...ofCalls.filter((ofCall) => !tree.call.test(ofCall))]
}

describe('EVT-01 the order of the tree', () => {
  test("EVT-01 emits in the tree's order calls that run, fail, are retried, suspend and are unknown, with two waits", async () => {
    const events = await play({
      tools: [act(), fail(), gated, asks, talks],
      replies: [
        { text: 'Let me see.', thinking: 'Hm.', toolCalls: [call('a', 'talks'), call('b', 'fail'), call('c', 'act')] },
        calls(call('d', 'gated'), call('e', 'nobody'), call('f', 'act')),
        calls(call('g', 'asks')),
        'Done.',
      ],
    })
    expect(strangeIn(events)).toEqual([])
    const told = new Set(events.map(({ type }) => type))
    const missing = typesOf('in order').filter((type) => !told.has(type as AgentEvent['type']))
    expect(missing).toEqual(['output.updated', 'model.failed'])
  })

  test("EVT-01 EVT-02 emits in the tree's order an answer that has to fit an output", async () => {
    const events = await play({ output: { type: 'object', required: ['a'] }, replies: ['{"b":[1,2]}', '{"a":[1,2]}'] })
    expect(strangeIn(events)).toEqual([])
    expect(events.filter(({ type }) => type === 'output.updated').length).toBeGreaterThan(1)
  })

  const runs: Record<string, TestAgentOptions> = {
    'a model that fails once': { replies: [{ error: overloaded }, 'Done.'], retry: { initialDelayMs: 0 } },
    'a model that fails for good': { replies: [{ error: new ModelError('api', 'No.') }] },
    'a run that is stopped at a limit': {
      tools: [act()],
      replies: [calls(call('a', 'act'))],
      limits: { maxTurns: 1 },
    },
    'a run that answers once more at a limit': {
      tools: [act()],
      replies: [calls(call('a', 'act')), 'Done.'],
      limits: { maxTurns: 1 },
      onLimit: 'finish',
    },
    'a run held at its start': { replies: ['Done.'], plugins: [holds] },
    'calls one after another, one of which suspends': {
      tools: [act(), gated],
      replies: [calls(call('a', 'gated'), call('b', 'act')), 'Done.'],
      executor: 'sequential',
    },
  }
  for (const [name, options] of Object.entries(runs)) {
    test(`EVT-01 ${name}`, async () => {
      expect(strangeIn(await play(options))).toEqual([])
    })
  }

  test("EVT-01 emits in the tree's order a run cancelled while its model answers, while a tool runs, and while it waits", async () => {
    const reply = heldReply()
    const asked = testAgent({ replies: [reply.reply] }).agent.start('Hi', { runId })
    void reply.asked.then(() => asked.cancel())
    expect(strangeIn(await eventsOf(asked))).toEqual([])

    const held = heldTool('slow')
    const works = testAgent({ tools: [held.tool], replies: [calls(call('a', 'slow'))] }).agent.start('Hi', { runId })
    void held.begins('1.a').then(() => works.cancel())
    expect(strangeIn(await eventsOf(works))).toEqual([])

    const waits = testAgent({ tools: [gated], replies: [calls(call('a', 'gated'))] }).agent.start('Hi', { runId })
    const before = await eventsOf(waits)
    await waits.cancel()
    expect(strangeIn([...before, ...(await eventsOf(waits))])).toEqual([])
  })
})

test('EVT-01 the tree refuses sequences that no run emits', () => {
  for (const wrong of [
    'run.started;message.ended;run.ended;run.ended;',
    'run.started;turn.ended;run.ended;',
    'run.started;message.ended;turn.started;message.updated;message.ended;turn.ended;run.ended;',
    'run.started;run.resumed;run.ended;',
  ]) {
    expect(wrong).not.toMatch(tree.run)
  }
  expect('call.settled;toolExecution.ended;').not.toMatch(tree.call)
})
