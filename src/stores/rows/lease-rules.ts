import { isDeadHere, type Owner } from '../../domain/owner.ts'
import type { Lease } from '../../ports/store.ts'
import { fenceConflict, runIsDriven } from './store-errors.ts'
import type { LeaseRow } from './stored-rows.ts'

/** Throws `run_is_driven` where somebody alive holds an unexpired lease. */
export function checkFree(runId: string, lease: LeaseRow, now: number): void {
  const owner = driverOf(lease, now)
  if (owner !== undefined) throw runIsDriven(runId, owner, lease.expires)
}

/** Who alive holds an unexpired lease; undefined where nobody does. */
export function driverOf(lease: LeaseRow, now: number): Owner | undefined {
  const owner = ownerOf(lease)
  return owner !== undefined && lease.expires > now && !isDeadHere(owner) ? owner : undefined
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
