import type { AccountLimit, Amount, Caps } from '../domain/account.ts'
import type { Reservation, Reserved } from '../domain/charge-account.ts'

/** The account of a family, for the requests of one of its runs to models. */
export interface RunAccount {
  /** The root of the family, which owns the account. */
  readonly root: string
  /** Reserves an amount for an attempt. Only the root may exceed the caps, with its final answer. */
  reserve(asked: Reservation): Promise<Reserved>
  /** Settles an attempt with the amount that it has spent; without an amount, its outcome is unknown. */
  settle(attempt: string, spent?: Amount): Promise<boolean>
  /** Adds an amount to a cap, in tokens or billionths of a dollar. The same key adds once. */
  add(key: string, limit: AccountLimit, units: number): Promise<boolean>
}

/** The account of a run's family. */
export interface FamilyAccount {
  readonly root: string
  /** The caps; absent in a child, because the root has opened the account. */
  readonly caps?: Caps
  /** The caps at which somebody is asked to raise them. */
  readonly asks?: readonly AccountLimit[]
}
