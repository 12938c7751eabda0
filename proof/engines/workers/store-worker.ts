import { objectStore } from '../../../src/adapters/stores/durable-object/object-store.ts'
import type { ObjectStorage } from '../../../src/adapters/stores/durable-object/object-storage.ts'
import { storeSuite, type StoreUnderTest } from '../../../src/testing/stores/store-suite.ts'
import { workerSuite } from '../../../src/testing/workers/worker-suite.ts'
import type { Clock } from '../../../src/core/ports/clock.ts'
import { endedPid } from './ended-process.ts'

/** Runs the case that a request names, on the storage of a fresh object. */
export class Runs {
  readonly #storage: ObjectStorage

  constructor({ storage }: { readonly storage: ObjectStorage }) {
    this.#storage = storage
  }

  async fetch(request: Request): Promise<Response> {
    const { searchParams } = new URL(request.url)
    const one = suites(this.#storage)[searchParams.get('suite') ?? '']?.[Number(searchParams.get('case'))]
    try {
      await one?.run()
      return new Response()
    } catch (error) {
      return new Response(error instanceof Error ? (error.stack ?? error.message) : String(error), { status: 500 })
    }
  }
}

function suites(storage: ObjectStorage): Readonly<Record<string, ReturnType<typeof storeSuite>>> {
  const open = async (clock: Pick<Clock, 'now'> = Date): Promise<StoreUnderTest> => {
    const store = objectStore(storage, { clock })
    return {
      store,
      deadOwner: (id) => ({ id, host: '', pid: endedPid, pidStart: '1' }),
      dispose: () => store.close(),
    }
  }
  return { store: storeSuite(open), worker: workerSuite(open) }
}

interface Env {
  readonly RUNS: { getByName(name: string): { fetch(request: Request): Promise<Response> } }
}

/** Lists the cases, and has an object run one. */
export const worker = {
  async fetch(request: Request, { RUNS }: Env): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/') {
      const names = suites({} as ObjectStorage)
      return Response.json(
        Object.fromEntries(Object.entries(names).map(([name, cases]) => [name, cases.map((one) => one.name)])),
      )
    }
    return RUNS.getByName(pathname).fetch(request)
  },
}
