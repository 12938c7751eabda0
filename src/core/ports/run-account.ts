import type { Amount, Reservation, Reserved } from '../domain/account.ts'

/** The account of a family, for the requests of one of its runs to models. */
export interface RunAccount {
  /** Reserves an amount for an attempt. Only the root may exceed the caps, with its final answer. */
  reserve(asked: Reservation): Promise<Reserved>
  /** Settles an attempt with what it has spent; without an amount, nobody knows its outcome. */
  settle(attempt: string, spent?: Amount): Promise<boolean>
}
