import { createHash, randomUUID } from 'node:crypto'
import { restateStore } from '../../src/adapters/hosts/restate/index.ts'
import { objectStore } from '../../src/adapters/stores/durable-object/object-store.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { localStorage } from '../support/object-storage.ts'

const { ENGINE, INGRESS: ingress = '' } = process.env

/** The store of the object that stands for a file, in every process. */
export function sqliteStore(path: string): Store {
  if (ENGINE === 'Durable Object') return objectStore(localStorage(path))
  return restateStore({ ingress, object: createHash('sha256').update(path).digest('hex').slice(0, 32) })
}

/** The store of an object that nobody else knows. */
export function memoryStore(): Store {
  return ENGINE === 'Durable Object' ? objectStore(localStorage()) : restateStore({ ingress, object: randomUUID() })
}
