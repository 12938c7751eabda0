import type { Grant, Store } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'

/** What may be wrong with the grants that a store gives, by name. */
export const plantedGrants: readonly (readonly [name: string, store: () => Store])[] = [
  ['a grant that was taken back still counts', () => keeping((grant) => grant.scope !== 'once')],
  ['a grant for once counts again', () => keeping((grant) => grant.scope === 'once')],
  [
    'a grant answers whichever rule asks',
    () =>
      giving(async (store, filter) => {
        const found = await store.grants(filter)
        const rules = [...new Set(found.flatMap(({ rule }) => rule ?? []))]
        return found.flatMap((grant) => [grant, withoutRule(grant), ...rules.map((rule) => ({ ...grant, rule }))])
      }),
  ],
  [
    'a grant counts for every run',
    () => giving(async (store, { grantees: _, ...filter } = {}) => store.grants(filter)),
  ],
  ['a denial is forgotten', () => giving(async (store, filter) => (await store.grants(filter)).map(allowing))],
]

type Giving = (store: Store, filter: Parameters<Store['grants']>[0]) => Promise<readonly Grant[]>

function giving(grants: Giving, use = (_: string, isUsed: boolean) => isUsed): Store {
  const store = memoryStore()
  return {
    ...store,
    grants: (filter) => grants(store, filter),
    useGrant: async (id, ...others) => use(id, await store.useGrant(id, ...others)),
  }
}

/** Grants that are gone are given again, and may be used. */
function keeping(isKept: (grant: Grant) => boolean): Store {
  const known = new Map<string, Grant>()
  return giving(
    async (store, filter) => {
      for (const grant of await store.grants()) if (isKept(grant)) known.set(grant.id, grant)
      const { toolName, grantees } = filter ?? {}
      const gone = [...known.values()].filter(
        (grant) => grant.toolName === toolName && (grantees === undefined || grantees.includes(grant.grantee)),
      )
      const found = await store.grants(filter)
      return [...found, ...gone.filter(({ id }) => found.every((grant) => grant.id !== id))]
    },
    (id, isUsed) => isUsed || known.has(id),
  )
}

function withoutRule({ rule: _, ...grant }: Grant): Grant {
  return grant
}

function allowing(grant: Grant): Grant {
  return { ...grant, says: 'allow' }
}
