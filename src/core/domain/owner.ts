import { answersSignals, hostName, ownPid, startOf } from './this-process.ts'

/** Who drives a run: one value per drive, so that two drives in one process are two owners. */
export interface Owner {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** Start time of the process as the host reports it. It shows whether a pid was reused; empty where unknown. */
  readonly pidStart: string
}

let thisProcess: Omit<Owner, 'id'> | undefined

/** This process as the owner `id` of a lease. */
export function currentOwner(id: string): Owner {
  thisProcess ??= { host: hostName(), pid: ownPid, pidStart: startOf(ownPid)?.start ?? '' }
  return { id, ...thisProcess }
}

/** True where the owner is another process of this host that surely lives; false where that cannot be known. */
export function isAliveHere(owner: Owner): boolean {
  if (owner.pid === ownPid || owner.pidStart === '' || isDeadHere(owner)) return false
  return owner.host === hostName() && startOf(owner.pid)?.start === owner.pidStart
}

/** True where the owner is a process of this host that has surely ended; false where that cannot be known. */
export function isDeadHere(owner: Owner): boolean {
  if (owner.host !== hostName() || !Number.isSafeInteger(owner.pid) || owner.pid <= 0) return false
  if (!answersSignals(owner.pid)) return true
  const found = startOf(owner.pid)
  if (found === undefined) return false
  return found.ended || (owner.pidStart !== '' && found.start !== owner.pidStart)
}
