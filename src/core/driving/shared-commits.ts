import type { StoredEvent } from '../domain/event.ts'
import type { Store } from '../ports/store.ts'

/** The events of one commit, in the making or made; whoever reads them holds it. */
export interface SharedCommit {
  readonly events: Promise<readonly StoredEvent[]>
}

/** The most commits that are looked for; of those nobody holds any more, no more than a name is kept. */
const mostCommits = 100

const byStore = new WeakMap<Store, Map<string, WeakRef<SharedCommit>>>()

/** What `decode` makes of a commit, or what it makes right now for others: many that follow one run read it once. */
export function sharedCommit(store: Store, name: string, decode: () => Promise<readonly StoredEvent[]>): SharedCommit {
  const commits = byStore.get(store) ?? new Map<string, WeakRef<SharedCommit>>()
  byStore.set(store, commits)
  const known = commits.get(name)?.deref()
  if (known !== undefined) return known
  const made: SharedCommit = { events: decode() }
  commits.delete(name)
  commits.set(name, new WeakRef(made))
  made.events.catch(() => commits.delete(name))
  const [oldest] = commits.keys()
  if (commits.size > mostCommits && oldest !== undefined) commits.delete(oldest)
  return made
}
