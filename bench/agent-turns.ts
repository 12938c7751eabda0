import type { Agent } from '../src/index.ts'
import type { Store } from '../src/core/ports/store.ts'
import { countingAgent } from './counting-agent.ts'

/** Drives one run of so many turns to its end. */
export async function runTurns(store: Store, turns: number, calls = 1): Promise<void> {
  await runToEnd(countingAgent({ turns, calls, store }))
}

/** Drives one run of so many turns to its end, stepped by XState's own actors. */
export async function runTurnsByXState(store: Store, turns: number): Promise<void> {
  await runToEnd(countingAgent({ turns, store, watched: { interpreter: 'xstate' } }))
}

/** Drives one run to its end, which must be a natural one. */
export async function runToEnd(agent: Agent): Promise<void> {
  const { outcome } = await agent.run('Go.')
  if (outcome.reason !== 'natural_end') throw new Error(`The run ended with ${JSON.stringify(outcome)}.`)
}
