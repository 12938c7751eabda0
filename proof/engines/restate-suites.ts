import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type EndpointSdk,
  type ServedObjects,
  type RestateContext,
  restateObject,
  type RestateSdk,
  restateStore,
  serveObjects,
} from '../../src/adapters/hosts/restate/index.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { StoreUnderTest } from '../../src/testing/stores/store-suite.ts'
import { deadOwner } from '../support/dead-owner.ts'
import { loadRestateSdk, startRestate } from './restate-server.ts'

/** A server with objects that nobody drives. */
export interface KeptObjects extends AsyncDisposable {
  /** The address of the ingress. */
  readonly url: string
  /** The server's process. */
  readonly pid: number
  /** Serves `Bare` too: its handler `append` reads one key, writes a text and a key, and sends one message to `read`, which does nothing. */
  addBare(): Promise<void>
  /** Returns the store of a fresh object. */
  open(clock?: Pick<Clock, 'now'>): Promise<StoreUnderTest>
}

/** Starts a server that keeps its data in a folder, and serves objects from this process. */
export async function keptObjects(folder = mkdtempSync(join(tmpdir(), 'restate-'))): Promise<KeptObjects> {
  const server = await startRestate({ folder })
  const sdk = (await loadRestateSdk()) as RestateSdk<unknown> & EndpointSdk<unknown>
  const agent = () => {
    throw new Error('These objects only keep.')
  }
  const runs = restateObject(sdk, { ingress: server.url, agent })
  const served = await serveObjects(sdk, { services: [runs], port: 0 })
  await server.deploy(served.url)
  let opened = 0
  let bare: ServedObjects | undefined
  return {
    url: server.url,
    pid: server.pid,
    async addBare() {
      bare = await serveObjects(sdk, { services: [bareObject(sdk)], port: 0 })
      await server.deploy(bare.url)
    },
    async open(clock = Date) {
      const store = restateStore({ ingress: server.url, object: `object-${opened++}`, clock })
      return { store, deadOwner, dispose: () => store.close() }
    },
    async [Symbol.asyncDispose]() {
      await server.kill()
      await served[Symbol.asyncDispose]()
      await bare?.[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

/** An object of which each step is the least that an engine of runs has to do there. */
function bareObject(sdk: RestateSdk<unknown>): unknown {
  const options = {
    enableLazyState: true,
    journalRetention: 0,
    inactivityTimeout: 60_000,
    abortTimeout: 60_000,
    retryPolicy,
  }
  async function step(context: RestateContext, asked: unknown): Promise<null> {
    const n = Number((await context.get('head')) ?? 0) + 1
    context.set(`step/${n}`, (asked as { readonly text: string }).text)
    context.set('head', n)
    const parameter = new TextEncoder().encode('{}')
    context.genericSend({ service: 'Bare', method: 'read', key: context.key, parameter, delay: 0 })
    return null
  }
  const { exclusive, shared } = sdk.handlers.object
  const handlers = { append: exclusive(options, step), read: shared(options, async () => null) }
  return sdk.object({ name: 'Bare', handlers: { ...handlers, drive: handlers.read } })
}

const retryPolicy = { initialInterval: 50, maxInterval: 1000, exponentiationFactor: 2, maxAttempts: 1_000_000_000 }
