import { answersSignals, hostName, ownPid, startOf } from './this-process.ts'

/** The driver of a run. Each drive has its own value, so two drives in one process are two owners. */
export interface Owner {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** The start time of the process as the host reports it, which detects a reused pid; empty if unknown. */
  readonly pidStart: string
}

let thisProcess: Omit<Owner, 'id'> | undefined

/** Returns this process as the owner `id` of a lease. */
export function currentOwner(id: string): Owner {
  thisProcess ??= { host: hostName(), pid: ownPid, pidStart: startOf(ownPid)?.start ?? '' }
  return { id, ...thisProcess }
}

/** Returns true if the owner is another process of this host that certainly lives. */
export function isAliveHere(owner: Owner): boolean {
  if (owner.pid === ownPid || owner.pidStart === '' || isDeadHere(owner)) return false
  return owner.host === hostName() && startOf(owner.pid)?.start === owner.pidStart
}

/** Returns true if the owner is a process of this host that has certainly ended. */
export function isDeadHere(owner: Owner): boolean {
  if (owner.host !== hostName() || !Number.isSafeInteger(owner.pid) || owner.pid <= 0) return false
  if (!answersSignals(owner.pid)) return true
  const found = startOf(owner.pid)
  if (found === undefined) return false
  return found.ended || (owner.pidStart !== '' && found.start !== owner.pidStart)
}
