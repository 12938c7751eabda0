import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { AgentOptions } from '../../src/core/agent/options.ts'
import { tool } from '../../src/core/ports/define-tool.ts'
import type { SimulatedPlace, SimulationOptions } from '../../src/testing/simulation/settings.ts'
import { call, calls } from '../../proof/support/say.ts'

/** An agent whose payment says that it may be repeated, and pays again. */
export function payer({ outside }: SimulatedPlace<string[]>): AgentOptions {
  return {
    name: 'payer',
    model: scripted([calls(call('a', 'pay')), 'Paid.', 'Paid.', 'Paid.', 'Paid.', 'Paid.']),
    tools: [
      tool({
        name: 'pay',
        description: 'Pays.',
        input: { type: 'object' },
        effects: 'idempotent',
        execute: (_, { runId }) => {
          outside.push(runId)
          return 'paid'
        },
      }),
    ],
  }
}

/** The rule that the payer breaks. */
export const paysOnce: SimulationOptions<string[]> = {
  outside: () => [],
  invariants: [
    {
      name: 'each run pays once',
      check: ({ outside }) => (new Set(outside).size < outside.length ? 'A run has paid twice.' : undefined),
    },
  ],
}
