import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { Agent } from '../../src/core/agent/agent.ts'
import { createAgent } from '../../src/core/agent/create-agent.ts'
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
function toolsOf({ clock }: Place, put: 'idempotent' | 'once'): readonly Tool[] {
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

/** Answers of the model: the tools that each calls. */
const turns = [
  ['append', 'ask', 'wait'],
  ['put', 'hold', 'check'],
  ['ask', 'put'],
  ['check', 'ask', 'append'],
  ['pay', 'hold', 'pay'],
] as const

/** Calls of each level of a family; the root denies `append` to all of them. */
const levels = [
  ['desk', 'ask'],
  ['put', 'hand'],
  ['append', 'ask', 'put'],
] as const

const endings = Array.from({ length: 12 }, () => 'Done.')

/** The choices of one world: the answers of its model, and whether calls are gated one after the other. */
interface Chosen {
  readonly turns: readonly number[]
  readonly isGated: boolean
  /** Tokens of the account of a family of three levels; 0 for an agent alone. */
  readonly cap: number
  /** The behavior of an agent while the next one of its family works. */
  readonly way: (typeof ways)[number]
}

/** The behaviors of an agent while the next one of its family works. In front, the next one works in the background. */
export const ways = ['waits', 'goes on', 'stays in front', 'hands over'] as const

type Place = SimulatedPlace<Chosen>

/** Chooses what the agent of one world is like. */
export function chooseAgent(choose: (count: number) => number): Chosen {
  const chosen = {
    turns: [choose(turns.length), choose(turns.length)].slice(choose(2)),
    isGated: choose(2) === 1,
    cap: choose(16) === 0 ? 300 + 100 * choose(8) : 0,
  }
  return { ...chosen, way: (chosen.cap === 0 ? undefined : ways[choose(ways.length)]) ?? 'waits' }
}

/** The agent that the simulation of this project plays, in its first version. */
export function simulatedAgent(place: Place): AgentOptions {
  return agentWith(place, 'idempotent')
}

/** The same agent in the version that is deployed in the middle. */
export function nextAgent(place: Place): AgentOptions {
  return agentWith(place, 'once')
}

function agentWith(place: Place, put: 'idempotent' | 'once'): AgentOptions {
  if (place.outside.cap > 0) return memberAt(place, put, 0)
  const said = place.outside.turns.map((index, turn) =>
    (turns[index] ?? []).map((name, slot) => call(`${turn + 1}${'abc'[slot]}`, name)),
  )
  return {
    name: 'clerk',
    model: scripted([...said.map((turn) => calls(...turn)), ...endings]),
    tools: toolsOf(place, put).filter((one) => said.flat().some(({ name }) => name === one.name)),
    ...(place.outside.turns.includes(4) && { services: [payment] }),
    ...(place.outside.isGated && { executor: 'sequential', decisions: 'gate' }),
  }
}

/** An agent of a family, which calls those below it; its root pays for all and denies to all. */
function memberAt(place: Place, put: 'idempotent' | 'once', level: number): AgentOptions {
  const said = (levels[level] ?? []).map((name, slot) => call(`${'abc'[slot]}`, name))
  const below = ['desk', 'hand'][level]
  const answer = { usage: { totalTokens: 30 } }
  const member = below === undefined ? [] : [createAgent({ ...memberAt(place, put, level + 1), name: below })]
  const { way } = place.outside
  // An agent that takes a conversation over finds the earlier answers in it.
  const before = way === 'hands over' ? endings.slice(0, level) : []
  const texts = (list: readonly string[]) => list.map((text) => ({ text, ...answer }))
  return {
    name: 'clerk',
    model: scripted([...texts(before), { ...calls(...said), ...answer }, ...texts(endings)], { maxTokens: 50 }),
    tools: [...toolsOf(place, put), ...member.map((agent) => toolOf(agent, way))],
    ...(level === 0 && { permissions: { rules: { deny: ['append'] } }, limits: { maxTokens: place.outside.cap } }),
  }
}

function toolOf(agent: Agent, way: Chosen['way']): Tool {
  if (way === 'hands over') return agent.asHandover({ when: 'It is wanted.' })
  const how = { ...(way === 'goes on' && { continue: true }), ...(way === 'stays in front' && { background: true }) }
  return agent.asTool({ description: 'Works.', input, ...how })
}
