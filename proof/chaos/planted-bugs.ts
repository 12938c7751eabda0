import type { Store } from '../../src/core/ports/store.ts'
import type { WorkStore } from '../../src/core/ports/work.ts'

/** A store with the bug of this name, which has to be noticed; without one, the store as it is. */
export function plantBug(store: Store & WorkStore, name: string | undefined): Store & WorkStore {
  switch (name) {
    case undefined:
      return store
    case 'overlookingAnswers':
      return overlookingAnswers(store)
    default:
      throw new Error(`No bug "${name}". Known: overlookingAnswers.`)
  }
}

/** A store that gives workers no run that waited and was answered. */
function overlookingAnswers(store: Store & WorkStore): Store & WorkStore {
  return {
    ...store,
    async claimNext(query) {
      const waiting = await store.list({ status: 'waiting' })
      return store.claimNext({ ...query, except: [...(query.except ?? []), ...waiting.map(({ id }) => id)] })
    },
  }
}
