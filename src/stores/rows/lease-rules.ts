import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Lease, Owner } from '../../ports/store.ts'
import { fenceConflict, runIsDriven } from './store-errors.ts'
import type { LeaseRow } from './stored-rows.ts'

/** Throws `run_is_driven` where somebody alive holds an unexpired lease. */
export function checkFree(runId: string, lease: LeaseRow, now: number): void {
  const owner = ownerOf(lease)
  if (owner !== undefined && lease.expires > now && !isDeadHere(owner)) throw runIsDriven(runId, owner, lease.expires)
}

/** Throws `fence_conflict` where the lease is no longer the stored one. */
export function checkHeld({ runId, owner, fence }: Lease, stored: LeaseRow): void {
  if (!isHeld({ owner, fence }, stored)) throw fenceConflict(runId, stored, fence)
}

/** True where the lease is the stored one. */
export function isHeld({ owner, fence }: Pick<Lease, 'owner' | 'fence'>, stored: LeaseRow): boolean {
  return stored.fence === fence && stored.owner === owner.id
}

function ownerOf({ owner, host, pid, pidStart }: LeaseRow): Owner | undefined {
  return owner === null ? undefined : { id: owner, host: host ?? '', pid: pid ?? 0, pidStart: pidStart ?? '' }
}

const initialPidNamespace = 'pid:[4026531836]'

let thisProcess: Omit<Owner, 'id'> | undefined

/** This process as the owner `id` of a lease. */
export function currentOwner(id: string): Owner {
  thisProcess ??= { host: hostName(), pid: process.pid, pidStart: startOf(process.pid)?.start ?? '' }
  return { id, ...thisProcess }
}

/** True where the owner is a process of this host that has surely ended; false where that cannot be known. */
export function isDeadHere(owner: Owner): boolean {
  if (owner.host !== hostName() || !Number.isSafeInteger(owner.pid) || owner.pid <= 0) return false
  if (!answersSignals(owner.pid)) return true
  const found = startOf(owner.pid)
  if (found === undefined) return false
  return found.ended || (owner.pidStart !== '' && found.start !== owner.pidStart)
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Start time in clock ticks since boot, where the host tells it; a zombie has ended. */
function startOf(pid: number): { readonly start: string; readonly ended: boolean } | undefined {
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The second field, the program's name, may hold blanks and parentheses: count from its end.
  const [state, ...later] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  const start = later[18]
  return start === undefined ? undefined : { start, ended: state === 'Z' || state === 'X' }
}

/** Containers may share a host name but not process ids, so the name holds the namespace of the ids. */
function hostName(): string {
  const namespace = textOf(() => readlinkSync('/proc/self/ns/pid'))
  return namespace === undefined || namespace === initialPidNamespace ? hostname() : `${hostname()}/${namespace}`
}

function textOf(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
