import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { AgentOptions } from '../../src/core/agent/options.ts'
import { contract } from '../../src/core/ports/define-contract.ts'
import { tool } from '../../src/core/ports/define-tool.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { Schema } from '../../src/core/ports/schema.ts'
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
    tool({
      name: 'check',
      description: 'Has its arguments checked elsewhere.',
      input: checkedElsewhere(clock),
      execute: act,
    }),
    tool({
      name: 'ask',
      description: 'Asks before it acts.',
      input,
      needs: 'approval',
      execute: act,
    }),
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

/** A schema that takes a while to check a value. */
function checkedElsewhere(clock: Clock): Schema {
  return {
    '~standard': {
      version: 1,
      vendor: 'simulation',
      validate: async (value) => {
        await clock.sleepUntil(clock.now() + 30, new AbortController().signal)
        return { value }
      },
      jsonSchema: { input: () => input },
    },
  }
}

const payment = contract({ type: 'pay', version: '1', accepts: input, emits: { paid: input } })

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
        calls(call('a', 'append'), call('b', 'ask'), call('c', 'wait')),
        calls(call('d', 'put'), call('e', 'hold'), call('f', 'check')),
        ...endings,
      ]),
      tools,
    },
    {
      name: 'payer',
      model: scripted([
        calls(call('a', 'ask'), call('b', 'put')),
        calls(call('c', 'hold'), call('d', 'check'), call('e', 'append')),
        calls(call('f', 'pay'), call('g', 'pay')),
        ...endings,
      ]),
      tools,
      services: [payment],
      executor: 'sequential',
      decisions: 'gate',
    },
  ]
}
