import { Accounts, sumOf } from '../../src/testing/simulation/accounts.ts'
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

/** Plays families of agents in simulated worlds with kills, and judges what their models have answered by their accounts. */
export async function playFamilies(runs: number, seed: number): Promise<PlayedFamilies> {
  const counts = { refused: 0, unknown: 0 }
  let books = new Accounts(() => {})
  const report = await simulate<Books>(familyAgent, {
    runs,
    seed,
    outside: chooseFamily,
    store: (clock) => {
      books = new Accounts(() => {})
      const store = memoryStore({ clock })
      return {
        ...store,
        change: async (asked) => {
          const answer = await store.change(books.heard(asked, () => false))
          if (answer === 'max_tokens') counts.refused++
          return answer
        },
      }
    },
    invariants: [
      {
        name: 'no answer escapes the account',
        check: ({ outside: { answered }, isOver }) => {
          if (isOver) counts.unknown += sumOf([...books.charges.values()].map(({ unknown }) => unknown)).tokens
          const paid = sumOf([...books.all.values()].flatMap(({ charged, held }) => [charged, held])).tokens
          return answered <= paid ? undefined : `${answered} tokens were answered and ${paid} are on the account.`
        },
      },
    ],
  })
  return { ...report, ...counts }
}
