import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type EndpointSdk,
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
  /** Returns the store of a fresh object. */
  open(clock?: Pick<Clock, 'now'>): Promise<StoreUnderTest>
}

/** Starts a server, and serves objects from this process. */
export async function keptObjects(): Promise<KeptObjects> {
  const folder = mkdtempSync(join(tmpdir(), 'restate-'))
  const server = await startRestate({ folder })
  const sdk = (await loadRestateSdk()) as RestateSdk<unknown> & EndpointSdk<unknown>
  const agent = () => {
    throw new Error('These objects only keep.')
  }
  const runs = restateObject(sdk, { ingress: server.url, agent })
  const served = await serveObjects(sdk, { services: [runs], port: 0 })
  await server.deploy(served.url)
  let opened = 0
  return {
    url: server.url,
    async open(clock = Date) {
      const store = restateStore({ ingress: server.url, object: `object-${opened++}`, clock })
      return { store, deadOwner, dispose: () => store.close() }
    },
    async [Symbol.asyncDispose]() {
      await server.kill()
      await served[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}
