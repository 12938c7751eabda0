import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { AgentOptions } from '../../src/core/agent/options.ts'
import { tool } from '../../src/core/ports/define-tool.ts'
import type { Tool, ToolContext } from '../../src/core/ports/tool.ts'
import type { SimulatedPlace } from '../../src/testing/simulation/settings.ts'
import { call, calls } from '../support/say.ts'

const input = { type: 'object' }
const act = async (_: unknown, { callId }: ToolContext) => `did ${callId}`

/** Tools of every kind: `put` is said to be safe to repeat by one version and not by the next. */
function toolsOf({ clock }: SimulatedPlace, put: 'idempotent' | 'once'): readonly Tool[] {
  return [
    tool({ name: 'append', description: 'Appends a line.', input, effects: 'once', execute: act }),
    tool({ name: 'put', description: 'Puts a value.', input, effects: put, execute: act }),
    tool({ name: 'ask', description: 'Asks before it acts.', input, needs: 'approval', execute: act }),
    tool({
      name: 'hold',
      description: 'Asks while it runs.',
      input,
      effects: 'none',
      execute: async (_, context) => (context.decision === undefined ? context.suspend() : `did ${context.callId}`),
    }),
    tool({
      name: 'wait',
      description: 'Asks for a while.',
      input,
      effects: 'none',
      execute: async (_, context) =>
        context.decision === undefined ? context.suspend({ expiresAt: clock.now() + 400 }) : `did ${context.callId}`,
    }),
  ]
}

const endings = Array.from({ length: 12 }, () => 'Done.')

/** The agents that the simulation of this project plays, in their first version. */
export function simulatedAgents(place: SimulatedPlace): readonly AgentOptions[] {
  return agentsWith(toolsOf(place, 'idempotent'))
}

/** The same agents in the version that is deployed in the middle. */
export function nextAgents(place: SimulatedPlace): readonly AgentOptions[] {
  return agentsWith(toolsOf(place, 'once'))
}

function agentsWith(tools: readonly Tool[]): readonly AgentOptions[] {
  return [
    {
      name: 'clerk',
      model: scripted([
        calls(call('a', 'append'), call('b', 'ask')),
        calls(call('c', 'put'), call('d', 'hold')),
        calls(call('e', 'wait')),
        ...endings,
      ]),
      tools,
    },
    {
      name: 'payer',
      model: scripted([
        calls(call('a', 'ask'), call('b', 'put')),
        calls(call('c', 'hold'), call('d', 'append')),
        ...endings,
      ]),
      tools,
      executor: 'sequential',
      decisions: 'gate',
    },
  ]
}
