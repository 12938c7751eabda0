import type { Grant } from '../../src/ports.ts'
import type { Store } from '../../src/index.ts'
import { grantKind } from '../../src/core/domain/granted.ts'
import { FoundRecords, type FoundRow } from '../../src/core/domain/records/found-records.ts'
import type { RecordWrite } from '../../src/core/domain/records/record-change.ts'
import { rowsOf, type RowsRead } from '../../src/core/domain/records/record-read.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

/** The possible faults of a store's grants, by name. */
export const plantedGrants: readonly (readonly [name: string, store: () => Store])[] = [
  ['a grant that was taken back still counts', () => forgetting(({ put }) => put === undefined)],
  ['a grant for once counts again', () => forgetting(({ put }) => put !== undefined)],
  [
    'a grant answers whichever rule asks',
    () =>
      giving((found) => {
        const rules = [...new Set(found.flatMap(({ body: { rule } }) => rule ?? []))]
        return found.flatMap((row) => [
          row,
          { ...row, body: withoutRule(row.body) },
          ...rules.map((rule) => ({ ...row, body: { ...row.body, rule } })),
        ])
      }),
  ],
  [
    'a grant counts for every run',
    () =>
      giving(
        (found, { values }) => found.map((row) => ({ ...row, body: { ...row.body, grantee: String(values[2]) } })),
        ({ values: [agent = ''] }) => rowsOf(grantKind, { index: 'agent', values: [agent], limit: 500 }),
      ),
  ],
  [
    'a denial is forgotten',
    () => giving((found) => found.map((row) => ({ ...row, body: { ...row.body, says: 'allow' } }))),
  ],
]

type GrantRow = FoundRow & { readonly body: Grant }

/** A store that gives other grants than it has found by a read, or finds them by another. */
function giving(
  change: (found: readonly GrantRow[], read: RowsRead) => readonly FoundRow[],
  other: (read: RowsRead) => RowsRead = (read) => read,
): Store {
  const store = memoryStore()
  return {
    ...store,
    records: async (reads) => {
      const [read] = reads
      if (read === undefined || !('values' in read) || read.table.name !== 'grant') return store.records(reads)
      const asked = other(read)
      const found = await store.records([asked])
      return new FoundRecords([read], [change(found.rows(grantKind, asked), read)])
    },
  }
}

/** A store that does not make some changes of its grants. */
function forgetting(isForgotten: (write: RecordWrite) => boolean): Store {
  const store = memoryStore()
  return {
    ...store,
    change: ({ reads, judge }) =>
      store.change({
        reads,
        judge: (found) => {
          const { answer, writes } = judge(found)
          return { answer, writes: writes.filter((write) => write.table.name !== 'grant' || !isForgotten(write)) }
        },
      }),
  }
}

function withoutRule({ rule: _, ...grant }: Grant): Grant {
  return grant
}
