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
  readonly id: { toString(): string }
  readonly storage: ObjectState['storage'] & { sync(): Promise<void> }
  /** Ends this life of the object, as an eviction does. */
  abort(reason: string): void
}

/** The writes that are left until an object is cut, by its id; they outlive the object. */
const cuts = new Map<string, { left: number; readonly isKept: boolean }>()

/** The class of the objects, which can be evicted and cut, with the planted bug. */
export class Runs extends Shop {
  readonly #state: EvictedState

  constructor(state: EvictedState, env: Env) {
    super(env.PLANT === 'sleeping' ? sleeping(state) : cutting(state), env)
    this.#state = state
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const id = this.#state.id.toString()
    if (pathname === '/evict') this.#state.abort('evicted')
    if (pathname !== '/cut') return super.fetch(request)
    const write = Number(searchParams.get('write'))
    if (write > 0) cuts.set(id, { left: write, isKept: searchParams.has('kept') })
    return Response.json({ left: cuts.get(id)?.left })
  }
}

/** Ends the life of the object at the write that its cut names: before it is kept, or after. */
function cutting(state: EvictedState): ObjectState {
  const { storage } = state
  let depth = 0
  return {
    storage: {
      sql: storage.sql,
      setAlarm: (at) => storage.setAlarm(at),
      deleteAlarm: () => storage.deleteAlarm(),
      transactionSync(work) {
        depth++
        try {
          return storage.transactionSync(work)
        } finally {
          if (--depth === 0) cutIfDue(state)
        }
      },
    },
  }
}

function cutIfDue(state: EvictedState): void {
  const cut = cuts.get(state.id.toString())
  if (cut === undefined || --cut.left !== 0) return
  if (cut.isKept) void state.storage.sync().then(() => state.abort('cut'))
  else state.abort('cut')
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
