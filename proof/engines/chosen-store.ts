import { createHash, randomUUID } from 'node:crypto'
import { restateStore } from '../../src/adapters/hosts/restate/index.ts'
import type { Store } from '../../src/core/ports/store.ts'

const ingress = process.env['INGRESS'] ?? ''

/** The store of the object that stands for a file, in every process. */
export function sqliteStore(path: string): Store {
  return restateStore({ ingress, object: createHash('sha256').update(path).digest('hex').slice(0, 32) })
}

/** The store of an object that nobody else knows. */
export function memoryStore(): Store {
  return restateStore({ ingress, object: randomUUID() })
}
