import { type Account, accountKind } from '../../src/core/domain/account.ts'
import type { FoundRecords } from '../../src/core/domain/records/found-records.ts'
import { put, type RecordWrite } from '../../src/core/domain/records/record-change.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { WorkStore } from '../../src/core/ports/work.ts'
import { addedTokens } from './paying-family.ts'

/** A store with the bug of this name, which has to be noticed; without one, the store as it is. */
export function plantBug(store: Store & WorkStore, name: string | undefined): Store & WorkStore {
  switch (name) {
    case undefined:
      return store
    case 'overlookingAnswers':
      return overlookingAnswers(store)
    case 'addingTwice':
      return addingTwice(store)
    default:
      throw new Error(`No bug "${name}". Known: overlookingAnswers, addingTwice.`)
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

/** A store in which each answer is added to an account twice. */
function addingTwice(store: Store & WorkStore): Store & WorkStore {
  return {
    ...store,
    change: ({ reads, judge }) =>
      store.change({
        reads,
        judge: (found) => {
          const { writes, ...rest } = judge(found)
          return { ...rest, writes: writes.map((write) => withMore(write, found)) }
        },
      }),
  }
}

function withMore(write: RecordWrite, found: FoundRecords): RecordWrite {
  const { table, key, put: stored } = write
  if (table.name !== accountKind.name || stored === undefined) return write
  const account = stored.body as Account
  const before = found.row(accountKind, key)?.body.added?.length ?? 0
  if ((account.added?.length ?? 0) === before) return write
  const caps = { ...account.caps, tokens: (account.caps.tokens ?? 0) + addedTokens }
  return put(accountKind, key, { ...account, caps })
}
