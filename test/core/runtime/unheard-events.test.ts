import { expect, test } from 'vitest'
import { toEvent } from '../../../src/core/driving/run-charts.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { driveWith } from '../../../proof/support/drive-with.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { toolbox } from '../../../proof/support/tools.ts'

/** Types of the announcements that were made events of, and of what was told. */
async function play(isHeard: () => boolean, storesEvents = false) {
  const made: string[] = []
  const replies = [calls(call('c1', 'act')), 'Done']
  const events = await driveWith({
    store: memoryStore(),
    handlers: {},
    replies,
    tools: [toolbox().act('act')],
    more: {
      isHeard,
      storesEvents: () => storesEvents,
      toEvent: (announcement, about) => {
        made.push(announcement.type)
        return toEvent(() => ({}), announcement, about)
      },
    },
  })
  return { made, told: events.map(({ type }) => type).filter((type) => !type.startsWith('toolExecution')) }
}

test('EVT-01 makes no event of commits that nobody hears, and all of those from which somebody does', async () => {
  const heard = await play(() => true)
  expect(heard.made).toEqual(['run.started', 'turn.started', 'turn.ended', 'turn.started', 'turn.ended', 'run.ended'])
  expect((await play(() => false)).made).toEqual([])
  let commits = 0
  const later = await play(() => ++commits > 2)
  expect(later.made).toEqual(heard.made.slice(-later.made.length))
  expect([later.made.length > 0, later.made.length < heard.made.length]).toEqual([true, true])
})

test('EVT-04 makes the events that are stored though nobody hears them', async () => {
  const { made } = await play(() => false, true)
  expect(made).toEqual((await play(() => true)).made)
})
