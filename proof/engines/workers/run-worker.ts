import {
  type ObjectNamespace,
  type ObjectState,
  routeToObject,
  runObject,
} from '../../../src/adapters/hosts/durable-object/index.ts'
import { shopAgent } from '../shop-agent.ts'

interface Env {
  readonly RUNS: ObjectNamespace
  /** The address of the server that records effects. */
  readonly JOURNAL: string
  readonly TOKEN: string
  /** The bug that has to be noticed: `repeating` payments, or `sleeping` objects. Default: none. */
  readonly PLANT?: string
}

const Shop = runObject<Env>(({ store, env }) => ({
  agent: shopAgent({
    store,
    payment: env.PLANT === 'repeating' ? 'none' : 'once',
    act: async (path) => (await fetch(`${env.JOURNAL}${path}`, { method: 'POST' })).text(),
  }),
  authorize: (request) => request.headers.get('authorization') === `Bearer ${env.TOKEN}`,
}))

interface EvictedState extends ObjectState {
  /** Ends this life of the object, as an eviction does. */
  abort(reason: string): void
}

/** The class of the objects, which can be evicted, with the planted bug. */
export class Runs extends Shop {
  readonly #evict: () => void

  constructor(state: EvictedState, env: Env) {
    super(env.PLANT === 'sleeping' ? sleeping(state) : state, env)
    this.#evict = () => state.abort('evicted')
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === '/evict') this.#evict()
    return super.fetch(request)
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
