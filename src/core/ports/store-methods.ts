import type { Store } from './store.ts'

const required: Readonly<Record<RequiredMethod, true>> = {
  create: true,
  commit: true,
  read: true,
  record: true,
  input: true,
  calls: true,
  list: true,
  suspended: true,
  checkpoints: true,
  checkpoint: true,
  delete: true,
  due: true,
  decide: true,
  post: true,
  inbox: true,
  watch: true,
  claim: true,
  renew: true,
  release: true,
  entries: true,
  claimNext: true,
  backlog: true,
  nextDue: true,
  postponed: true,
  retry: true,
  records: true,
  change: true,
  close: true,
}

type RequiredMethod = { [Name in keyof Store]-?: undefined extends Store[Name] ? never : Name }[keyof Store]

/** Returns the names of the methods that a store lacks, for example because it was written for an earlier version. */
export function missingMethods(store: object): readonly string[] {
  return Object.keys(required).filter((name) => typeof Reflect.get(store, name) !== 'function')
}
