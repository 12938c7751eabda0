import { expect, test } from 'vitest'
import { heldReply, runId, testAgent } from '../../proof/support/test-agent.ts'
import { type AgentEvent, foldEvents, type Run } from '../../src/index.ts'
import { toResponse } from '../../src/servers/http/server-sent-events.ts'

const linesOf = (text: string): readonly AgentEvent[] =>
  text
    .split('\n\n')
    .flatMap((block) => /^data: (.+)$/m.exec(block)?.[1] ?? [])
    .map((data) => JSON.parse(data) as AgentEvent)

async function lived(run: Run): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

test("EVT-04 toResponse with deltas streams live events in the run's order", async () => {
  const { agent } = testAgent({ replies: ['one two three four'] })
  const run = agent.start('Go', { runId })
  const response = await toResponse(run, { deltas: true, named: false })
  const [told, read] = await Promise.all([lived(run), response.text()])
  const shown = linesOf(read)
  expect(shown.map(({ type }) => type)).toEqual(told.map(({ type }) => type))
  expect(read).not.toMatch(/^event:/m)
  expect(shown.filter(({ type }) => type === 'message.updated').length).toBeGreaterThan(0)
})

test('EVT-04 an event without a number has no id, so that a reconnecting page gets nothing twice', async () => {
  const { agent } = testAgent({ replies: ['one two'] })
  const run = agent.start('Go', { runId })
  const text = await (await toResponse(run, { deltas: true })).text()
  for (const block of text.split('\n\n').filter((one) => one !== '')) {
    const data = /^data: (.+)$/m.exec(block)?.[1] ?? ''
    const { seq } = JSON.parse(data) as AgentEvent
    expect(/^id: (\d+)$/m.exec(block)?.[1]).toBe(seq === undefined ? undefined : String(seq))
  }
})

test('EVT-04 a page that joins in the middle of an answer gets the answer so far and the rest of it', async () => {
  const held = heldReply()
  const { agent } = testAgent({ replies: [held.reply] })
  const run = agent.start('Go', { runId })
  await held.asked
  const response = await toResponse(await agent.load(runId), { deltas: true })
  held.give('All of it.')
  const shown = linesOf(await response.text())
  const view = foldEvents(shown)
  expect([view.status, view.text]).toEqual(['done', 'All of it.'])
  const numbers = shown.flatMap(({ seq }) => seq ?? [])
  expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right))
  await run.settled()
})

test('EVT-04 a page that is too slow for live events reads the stored ones', async () => {
  const calls = Array.from({ length: 100 }, () => ({ name: 'no', arguments: {} }))
  const replies = Array.from({ length: 61 }, (_, turn) => (turn < 60 ? { toolCalls: calls } : 'End.'))
  const { agent } = testAgent({ replies, limits: { onRepeat: 'note', maxCallsPerTurn: 100 } })
  const run = agent.start('Go', { runId })
  const response = await toResponse(run, { deltas: true })
  await run.settled()
  const shown = linesOf(await response.text())
  const numbers = shown.flatMap(({ seq }) => seq ?? [])
  expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right))
  expect(numbers.length).toBeGreaterThan(10_000)
  expect(shown.at(-1)?.type).toBe('run.ended')
})
