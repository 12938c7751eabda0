import { type Account, accountKind, type Amount, type Charge, chargeKind } from '../../src/core/domain/account.ts'
import type { RecordChange } from '../../src/core/domain/records/record-change.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { simulate, type SimulationReport } from '../../src/testing/simulation/simulate.ts'
import { type Books, chooseFamily, familyAgent } from './family-agent.ts'

/** The result of a simulation of families. */
export interface PlayedFamilies extends SimulationReport {
  /** Reservations that were refused because the account had too little left. */
  readonly refused: number
  /** Tokens of requests whose outcome nobody knows. */
  readonly unknown: number
}

/** Plays families of agents in simulated worlds with kills, and judges each change of the accounts of their roots. */
export async function playFamilies(runs: number, seed: number): Promise<PlayedFamilies> {
  const counts = { refused: 0, unknown: 0 }
  let audit = new Audit(counts)
  const report = await simulate<Books>(familyAgent, {
    runs,
    seed,
    outside: chooseFamily,
    store: (clock) => {
      audit = new Audit(counts)
      return audit.watching(clock)
    },
    invariants: [
      { name: 'charged and reserved lie within the cap at each reservation', check: () => audit.overdraft },
      { name: 'charged is settled and unknown, and reserved is what runs hold', check: () => audit.difference() },
      {
        name: 'no answer escapes the account',
        check: ({ outside: { answered } }) => {
          const paid = sumOf([...audit.accounts.values()].flatMap(({ charged, held }) => [charged, held]))
          return answered <= paid ? undefined : `${answered} tokens were answered and ${paid} are on the account.`
        },
      },
    ],
  })
  return { ...report, ...counts }
}

/** Keeps a second book of the accounts of one world. */
class Audit {
  readonly accounts = new Map<string, Account>()
  readonly #charges = new Map<string, Charge>()
  readonly #counts: { refused: number; unknown: number }
  overdraft: string | undefined

  constructor(counts: { refused: number; unknown: number }) {
    this.#counts = counts
  }

  /** Returns a store in memory whose changes are judged here as well. */
  watching(clock: Pick<Clock, 'now'>): Store {
    const store = memoryStore({ clock })
    return { ...store, change: (asked) => store.change(this.#heard(asked)) }
  }

  #heard<Answer>({ reads, judge }: RecordChange<Answer>): RecordChange<Answer> {
    return {
      reads,
      judge: (found) => {
        const judged = judge(found)
        if (judged.answer === 'max_tokens') this.#counts.refused++
        for (const { table, key, put } of judged.writes) {
          if (table === accountKind) this.#takeAccount(key, put?.body as Account, judged.answer === 'reserved')
          if (table === chargeKind) this.#takeCharge(key, put?.body as Charge)
        }
        return judged
      },
    }
  }

  #takeAccount(key: string, account: Account, isReserving: boolean): void {
    this.accounts.set(key, account)
    const { caps, charged, held } = account
    const used = sumOf([charged, held])
    if (isReserving && used > (caps.tokens ?? 0)) this.overdraft = `${used} of ${caps.tokens} tokens are used.`
  }

  #takeCharge(key: string, charge: Charge): void {
    const before = this.#charges.get(key)?.unknown.tokens ?? 0
    this.#counts.unknown += charge.unknown.tokens - before
    this.#charges.set(key, charge)
  }

  difference(): string | undefined {
    const charges = [...this.#charges.values()]
    for (const [root, { charged, held }] of this.accounts) {
      const own = charges.filter(({ run }) => run === root)
      const known = sumOf(own.flatMap(({ settled, unknown }) => [settled, unknown]))
      const open = sumOf(own.flatMap((charge) => charge.held ?? []))
      if (known !== charged.tokens || open !== held.tokens)
        return `The account of ${root} has ${charged.tokens} and ${held.tokens}, its charges ${known} and ${open}.`
    }
    return undefined
  }
}

function sumOf(amounts: readonly Amount[]): number {
  return amounts.reduce((sum, { tokens }) => sum + tokens, 0)
}
