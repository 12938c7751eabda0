import { expect, test } from 'vitest'
import { RunWatchers } from '../../../src/core/driving/run-watchers.ts'
import type { AgentEvent } from '../../../src/index.ts'

const resumed: AgentEvent = { type: 'run.resumed', runId: 'r', subject: 's', at: 0 }

test('EVT-01 whoever watches a run hears of it, also after another has left, and nothing of other runs', async () => {
  const watchers = new RunWatchers()
  const [first, second, other] = [watchers.watch('r'), watchers.watch('r'), watchers.watch('s')]
  first.end()
  watchers.tell(resumed)
  second.end()
  other.end()
  const heard = async (stream: AsyncIterable<AgentEvent>) => {
    const events: AgentEvent[] = []
    for await (const event of stream) events.push(event)
    return events
  }
  expect(await Promise.all([first, second, other].map(heard))).toEqual([[], [resumed], []])
})
