import assert from 'node:assert/strict'
import { createAgent, textOf, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { memoryStore } from '../src/core/stores/memory/memory-store.ts'
import { childrenOf, type RecordedRun, recordSessions, rootRuns } from '../src/adapters/recorder/index.ts'

// A tool that delegates its work to another agent reports the id of that run.
const store = memoryStore()
const reader = createAgent({ name: 'reader', store, model: scripted(['Two lamps.']) })
const look = tool({
  name: 'look_up',
  description: 'Has the reader look something up.',
  input: { type: 'object' },
  execute: async () => {
    const { runId, text } = await reader.run('What was ordered?', { runId: 'reading' })
    return { content: [{ type: 'text', text }], childRunId: runId }
  },
})
const replies = [{ toolCalls: [{ name: 'look_up', arguments: {} }] }, 'Two lamps were ordered.', 'They are paid.']
const agent = createAgent({ name: 'desk', store, configId: 'v1', model: scripted(replies), tools: [look] })

// One conversation: a run that delegates, a continuation, a rerun of its answer, and a branch with another question.
const talk = agent.session('order-7')
await (await talk.prompt('What was order 7?')).settled()
await (await talk.prompt('Are they paid?')).settled()
await (await talk.rerun({ tag: 'again' })).settled()
await (await talk.branch({ tag: 'other', prompt: 'Are they sent?' })).settled()

// The record is read off the logs of the runs.
const sessions = await recordSessions(store)

/** Draws a run with the runs that did its calls' work, and below it the runs that continue it. */
function draw(run: RecordedRun, children: (runId: string) => readonly RecordedRun[], depth = 0): readonly string[] {
  const [said] = run.messages.filter(({ role }) => role === 'user').map(textOf)
  const indent = '  '.repeat(depth)
  const work = run.childRuns.map(
    ({ toolName, runId, sessionId }) => `${indent}  > ${toolName}: run ${runId} of ${sessionId}`,
  )
  const { continuation } = run
  const way =
    continuation === undefined || continuation.kind === 'default' ? '' : `, ${continuation.kind} ${continuation.tag}`
  const below = children(run.id).flatMap((child) => draw(child, children, depth + 1))
  return [`${indent}${run.id} (${run.status}, ${run.turns} turns${way}): ${said ?? 'the same'}`, ...work, ...below]
}

const session = sessions.find(({ id }) => id === 'order-7')
assert.ok(session)
const drawn = rootRuns(session).flatMap((run) => draw(run, (runId) => childrenOf(session, runId)))
assert.deepEqual(drawn, [
  'order-7.v1.1 (completed, 2 turns): What was order 7?',
  '  > look_up: run reading of reading',
  '  order-7.v1.2 (completed, 1 turns): Are they paid?',
  '    order-7.v1.3 (completed, 1 turns, rerun again): the same',
  '      order-7.v1.4 (completed, 1 turns, branch other): Are they sent?',
])
const spawnedFrom = sessions.find(({ id }) => id === 'reading')?.spawnedFrom
const spawned = { runId: 'order-7.v1.1', sessionId: 'order-7', callId: '1.scripted-0-0', toolName: 'look_up' }
assert.deepEqual(spawnedFrom, spawned)
console.log(drawn.join('\n'))
