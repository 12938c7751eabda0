import { type AgentOptions, createAgent } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { SimulatedPlace } from '../../src/testing/simulation/settings.ts'

/** The family of one world, and what its models have answered. */
export interface Books {
  /** For each agent, the agents that it has work for it. */
  readonly members: readonly (readonly number[])[]
  /** Tokens of the account. */
  readonly cap: number
  /** Tokens of all answers. */
  answered: number
}

const mostTokens = 40

/** Chooses a family of one to three levels, and what its account has. */
export function chooseFamily(choose: (count: number) => number): Books {
  const members = [[1, 2].slice(choose(2)), [3].slice(choose(2)), [3].slice(choose(2)), []]
  return { members, cap: 150 + 50 * choose(8), answered: 0 }
}

/** The root of the family. Each of its agents calls those below it, and then answers. */
export function familyAgent({ outside, clock }: SimulatedPlace<Books>): AgentOptions {
  return agentAt(0, outside, () => clock.now())
}

function agentAt(index: number, books: Books, now: () => number): AgentOptions {
  const below = books.members[index] ?? []
  const nameOf = (one: number) => `agent-${one}`
  const toolCalls = below.map((one) => ({ id: `c${one}`, name: nameOf(one), arguments: { prompt: 'Go.' } }))
  const reply = (place: number) => () => {
    const totalTokens = 1 + ((index * 7 + place * 13) % mostTokens)
    books.answered += totalTokens
    return { ...(place === 0 && below.length > 0 ? { toolCalls } : { text: 'Done.' }), usage: { totalTokens } }
  }
  return {
    name: nameOf(index),
    model: scripted([reply(0), reply(1)], { maxTokens: mostTokens, now }),
    tools: below.map((one) => createAgent(agentAt(one, books, now)).asTool({ description: 'Works.' })),
    limits: { maxTokens: books.cap },
  }
}
