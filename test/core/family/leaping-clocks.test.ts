import { expect, test } from 'vitest'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { type Agent, createAgent, type Store, textOf, tool } from '../../../src/index.ts'
import { outgoingKind } from '../../../src/core/domain/outgoing.ts'
import type { RecordRead } from '../../../src/core/domain/records/record-read.ts'
import type { Clock } from '../../../src/core/ports/clock.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'
import { coreOf } from '../../../src/core/driving/core-of.ts'
import { openDriving } from '../../../src/core/driving/run-driving.ts'
import { memberNamed } from '../../../src/core/family/lineage.ts'
import { calling } from './background-desk.ts'

const pay = tool({ name: 'pay', description: 'Pays.', input: {}, needs: 'approval', execute: () => 'Paid.' })

/** A boss whose helper asks before it pays, for the boss or in the background. */
function team(store: Store, clock: Clock, background: boolean): Agent {
  const helper = createAgent({ name: 'helper', model: scripted([calling('p', 'pay'), 'Paid.']), tools: [pay] })
  const tools = [helper.asTool({ description: 'Helps.', background })]
  const model = scripted([calling('h', 'helper', { prompt: 'Pay.' }), 'Done.', 'Thanks.'])
  return createAgent({ name: 'boss', store, clock, model, tools })
}

const year = 365 * 86_400_000
const leaps = [year, -year].flatMap((first) => [0, -first].map((second) => [first, second] as const))
const cases = leaps.flatMap((leap) => [false, true].map((background) => [...leap, background] as const))

test.each(cases)(
  'AGT-05 TC-10 a family that waits goes on if its clock leaps by %i and by %i milliseconds (in the background: %s)',
  async (first, second, background) => {
    const clock = fakeClock()
    const store = memoryStore({ clock })
    const begun = team(store, clock, background)
    await (await begun.session('talk').prompt('Go.')).settled()
    const [helper] = await store.list({ agent: 'boss/helper' })
    const childRunId = helper?.id ?? ''
    await begun.close({ drainMs: 0 })

    // The process that drives the helper dies before it tells anybody of the helper's end.
    clock.advance(first)
    const isMessage = (read: RecordRead) => 'values' in read && read.table.name === outgoingKind.name
    const deaf: Store = {
      ...store,
      change: (given) => (given.reads.some(isMessage) ? Promise.reject(new Error('gone')) : store.change(given)),
    }
    const answering = team(store, clock, background)
    expect((await (await answering.load(childRunId)).approve()).answer).toBe('applied')
    const member = memberNamed(coreOf(team(deaf, clock, background), 'test'), 'boss/helper')
    if (member !== undefined) await openDriving(member, childRunId).rest.catch(() => undefined)
    expect((await store.record(childRunId)).status).toBe('done')
    await answering.close({ drainMs: 0 })

    clock.advance(second)
    const last = team(store, clock, background)
    const isOver = async () => {
      const told = (await last.session('talk').messages()).map(textOf)
      return told.at(-1) === (background ? 'Thanks.' : 'Done.')
    }
    const worker = createWorker({ agents: [last], pollMs: 100 })
    for (let looks = 0; looks < 200 && !(await isOver()); looks++) {
      for (let turns = 0; turns < 12; turns++) await new Promise((next) => setImmediate(next))
      clock.advance(500)
    }
    expect(await isOver()).toBe(true)
    await worker.drain({ drainMs: 0 })
    const told = (await last.session('talk').messages()).map(textOf)
    expect(told.filter((text) => /^Paid\.$|: Paid\.\]$/.test(text))).toHaveLength(1)
  },
)
