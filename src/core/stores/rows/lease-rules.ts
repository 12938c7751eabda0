import { isAliveHere, isDeadHere, type Owner } from '../../domain/owner.ts'
import type { FoundLease } from '../../domain/store-error.ts'
import type { Lease } from '../../ports/store.ts'
import { fenceConflict, runIsDriven } from './store-errors.ts'
import type { LeaseRow } from './stored-rows.ts'

/** Throws `run_is_driven` for a lease of a living owner, unless `found` is this lease, expired and read a TTL ago. */
export function checkFree(runId: string, lease: LeaseRow, now: number, found?: FoundLease): void {
  const owner = driverOf(lease, now, found)
  if (owner === undefined) return
  const { fence, expires } = lease
  throw runIsDriven(runId, owner, expires, expires > now ? undefined : { runId, fence, expires })
}

/** Returns the lease that was found for a run, if there is one. */
export function foundOf(runId: string, found: readonly FoundLease[]): FoundLease | undefined {
  return found.find((lease) => lease.runId === runId)
}

/** Returns the living owner of a lease. An expired lease counts until a second look, because clocks may differ. */
export function driverOf(
  lease: LeaseRow,
  now: number,
  found?: Pick<FoundLease, 'fence' | 'expires'>,
): Owner | undefined {
  const owner = ownerOf(lease)
  if (owner === undefined || isDeadHere(owner)) return undefined
  if (lease.expires > now) return owner
  const isUnchanged = found?.fence === lease.fence && found.expires === lease.expires
  return !isUnchanged && isAliveHere(owner) ? owner : undefined
}

/** Throws `fence_conflict` if the lease is no longer the stored one. */
export function checkHeld({ runId, owner, fence }: Lease, stored: LeaseRow): void {
  if (!isHeld({ owner, fence }, stored)) throw fenceConflict(runId, stored, fence)
}

/** Returns true if the lease is the stored one. */
export function isHeld({ owner, fence }: Pick<Lease, 'owner' | 'fence'>, stored: LeaseRow): boolean {
  return stored.fence === fence && stored.owner === owner.id
}

function ownerOf({ owner, host, pid, pidStart }: LeaseRow): Owner | undefined {
  return owner === null ? undefined : { id: owner, host: host ?? '', pid: pid ?? 0, pidStart: pidStart ?? '' }
}
