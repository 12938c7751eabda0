import { type Agent, createAgent, type Store, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { timeOf } from '../stopwatch.ts'
import type { Measure, Workload } from '../workload.ts'

const runsEach = 20
const listedEach = 100
const helps = { name: 'help', description: 'Helps.', input: { type: 'object' } } as const
const helped = scripted(Array.from({ length: 9 }, () => 'Helped.'))

/** Sub-agents beside plain tools on one store: a turn, many at once, and those that wait. */
export const family: Workload = {
  name: 'family',
  unit: 'µs',
  floor: 'this engine itself: a plain tool, eight sub-agents at once, or a plain run that waits.',
  rounds: 9,
  warmUp: { size: 1, times: 2 },
  variants: [
    { name: 'turn', sizes: [1], subjects: { floor: playing(plain), statewright: playing(parent) } },
    {
      name: 'at once',
      sizes: [64],
      warmsUp: false,
      subjects: { floor: playing(parent, () => 8), statewright: playing(parent) },
    },
    {
      name: 'listed',
      sizes: [listedEach],
      warmsUp: false,
      subjects: { floor: listing(plain), statewright: listing(parent) },
    },
  ],
}

type Make = (store: Store, calls: number, needs: { readonly needs?: 'approval' }) => Agent

function plain(store: Store, calls: number, needs: { readonly needs?: 'approval' }): Agent {
  const help = tool({ ...helps, ...needs, effects: 'idempotent', execute: () => 'Helped.' })
  return createAgent({ name: 'plain', store, model: calling(calls), tools: [help] })
}

function parent(store: Store, calls: number, needs: { readonly needs?: 'approval' }): Agent {
  const asking = tool({ ...helps, ...needs, effects: 'idempotent', execute: () => 'Helped.' })
  const model = needs.needs === undefined ? helped : calling(1)
  const helper = createAgent({ name: 'helper', model, tools: [asking] })
  return createAgent({ name: 'parent', store, model: calling(calls), tools: [helper.asTool(helps)] })
}

function calling(calls: number) {
  const toolCalls = Array.from({ length: calls }, (_, id) => ({
    id: `c${id}`,
    name: 'help',
    arguments: { prompt: 'Go.' },
  }))
  return scripted([{ toolCalls }, 'Done.'])
}

/** The time of each call of a run. */
function playing(make: Make, callsOf = (size: number) => size): Measure {
  return async (size, place) => {
    const calls = callsOf(size)
    const agent = make(sqliteStore(place.freshFile(), { synchronous: 'normal' }), calls, {})
    await agent.run('Go.')
    const runs = Math.ceil(runsEach / calls)
    const time = await timeOf('processor', async () => {
      for (let run = 0; run < runs; run++) await agent.run('Go.')
    })
    await agent.close()
    return time / runs / calls
  }
}

/** The time of a list of all that waits. */
function listing(make: Make): Measure {
  return async (size, place) => {
    const agent = make(sqliteStore(place.freshFile(), { synchronous: 'normal' }), 1, { needs: 'approval' })
    for (let run = 0; run < size; run++) await agent.run('Go.')
    await agent.suspended()
    const time = await timeOf('processor', async () => void (await agent.suspended()))
    await agent.close()
    return time
  }
}
