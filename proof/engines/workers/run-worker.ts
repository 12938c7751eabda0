import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { createAgent, tool } from '../../../src/index.ts'
import {
  type ObjectNamespace,
  type ObjectState,
  routeToObject,
  runObject,
} from '../../../src/adapters/hosts/durable-object/index.ts'
import { call, calls } from '../../support/say.ts'

interface Env {
  readonly RUNS: ObjectNamespace
  /** The address of the server that records effects. */
  readonly JOURNAL: string
  readonly TOKEN: string
  /** The bug that has to be noticed: `repeating` payments, or `sleeping` objects. Default: none. */
  readonly PLANT?: string
}

/** Objects of an agent that looks something up, has a sub-agent pay once with an approval, looks again and ends. */
const Shop = runObject<Env>(({ store, env }) => {
  const act = async (what: string, runId: string) => {
    const response = await fetch(`${env.JOURNAL}/${what}/${runId}`, { method: 'POST' })
    return response.text()
  }
  const input = { type: 'object' } as const
  const pay = tool({
    name: 'pay',
    description: 'Pays, once.',
    input,
    needs: 'approval',
    effects: env.PLANT === 'repeating' ? 'none' : 'once',
    execute: (_, { runId }) => act('pay', runId),
  })
  const look = tool({
    name: 'look',
    description: 'Looks something up.',
    input,
    effects: 'none',
    execute: (_, { runId }) => act('look', runId),
  })
  const clerk = createAgent({ name: 'clerk', model: scripted([calls(call('p1', 'pay')), 'Paid.']), tools: [pay] })
  const pays = clerk.asTool({ description: 'Pays a bill.' })
  const asks = calls(call('c2', 'clerk', { prompt: 'Pay the bill.' }))
  const model = scripted([calls(call('c1', 'look')), asks, calls(call('c3', 'look')), 'Done.'])
  return {
    agent: createAgent({ name: 'shop', model, tools: [look, pays], store }),
    authorize: (request) => request.headers.get('authorization') === `Bearer ${env.TOKEN}`,
  }
})

/** The class of the objects, with the planted bug. */
export class Runs extends Shop {
  constructor(state: ObjectState, env: Env) {
    super(env.PLANT === 'sleeping' ? sleeping(state) : state, env)
  }
}

/** Sets no alarm for later, so that nobody looks again after a process has ended. */
function sleeping({ storage }: ObjectState): ObjectState {
  return {
    storage: {
      sql: storage.sql,
      transactionSync: (work) => storage.transactionSync(work),
      setAlarm: async (at) => (at > Date.now() ? storage.deleteAlarm() : storage.setAlarm(at)),
      deleteAlarm: () => storage.deleteAlarm(),
    },
  }
}

/** Sends each request to its object. */
export const worker = { fetch: (request: Request, { RUNS }: Env) => routeToObject(request, RUNS) }
