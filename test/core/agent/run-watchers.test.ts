import { expect, test } from 'vitest'
import { RunWatchers } from '../../../src/core/driving/run-watchers.ts'
import type { AgentEvent } from '../../../src/index.ts'

const resumed: AgentEvent = { type: 'run.resumed', runId: 'r', subject: 's', at: 0 }

test('EVT-01 a watcher receives the events of its run only, also after another watcher has left', async () => {
  const watchers = new RunWatchers()
  const heard: string[] = []
  const watcher = (name: string) => ({ push: ({ type }: AgentEvent) => void heard.push(`${name} ${type}`) })
  const [first, second, other] = [watcher('first'), watcher('second'), watcher('other')]
  watchers.join('r', first)
  watchers.join('r', second)
  watchers.join('s', other)
  watchers.leave('r', first)
  watchers.tell(resumed)
  expect(heard).toEqual(['second run.resumed'])
})
