import { type Account, accountKind, type Amount, type Charge, chargeKind } from '../../core/domain/account.ts'
import type { RecordChange, RecordWrite } from '../../core/domain/records/record-change.ts'

type Fail = (message: string, root: string) => void

/** The accounts of families in a second set of books, which judges each change as it is stored. */
export class Accounts {
  /** Accounts by the id of their root. */
  readonly all = new Map<string, Account>()
  /** The charges and reservations of single runs. */
  readonly charges = new Map<string, Charge>()
  readonly #fail: Fail

  constructor(fail: Fail) {
    this.#fail = fail
  }

  /** Returns a change of records whose writes are judged. `mayExceed` is true for a root that may exceed its caps to finish. */
  heard<Answer>({ reads, judge }: RecordChange<Answer>, mayExceed: (root: string) => boolean): RecordChange<Answer> {
    return {
      reads,
      judge: (found) => {
        const judged = judge(found)
        for (const write of judged.writes) this.#take(write)
        for (const { table, key } of judged.writes)
          if (table === accountKind) this.#judge(key, judged.answer === 'reserved' && !mayExceed(key))
        return judged
      },
    }
  }

  #take({ table, key, put }: RecordWrite): void {
    if (table === accountKind) this.all.set(key, put?.body as Account)
    if (table === chargeKind) this.charges.set(key, put?.body as Charge)
  }

  #judge(root: string, isCapped: boolean): void {
    const account = this.all.get(root)
    if (account === undefined) return
    const { caps, charged, held } = account
    const used = sumOf([charged, held])
    if (isCapped && (used.tokens > (caps.tokens ?? Infinity) || used.nanos > (caps.nanos ?? Infinity)))
      this.#fail(`The account of ${root} is charged beyond its caps.`, root)
    const own = [...this.charges.values()].filter(({ run }) => run === root)
    const known = sumOf(own.flatMap(({ settled, unknown }) => [settled, unknown]))
    const open = sumOf(own.flatMap((charge) => charge.held ?? []))
    if (!isSame(known, charged) || !isSame(open, held))
      this.#fail(`The account of ${root} is not the sum of its charges.`, root)
  }
}

/** Returns the sum of some amounts. */
export function sumOf(amounts: readonly Amount[]): Amount {
  return amounts.reduce((sum, one) => ({ tokens: sum.tokens + one.tokens, nanos: sum.nanos + one.nanos }), {
    tokens: 0,
    nanos: 0,
  })
}

function isSame(one: Amount, other: Amount): boolean {
  return one.tokens === other.tokens && one.nanos === other.nanos
}
