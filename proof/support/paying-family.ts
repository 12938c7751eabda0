import { type Agent, type AgentOptions, createAgent, type Store, type Tool } from '../../src/index.ts'
import { scripted, type ScriptedAnswer } from '../../src/adapters/providers/scripted.ts'
import { call, calls } from './say.ts'

/** The parts of a paying family. */
export interface FamilyParts {
  readonly store: Store
  readonly leaseMs: number
  /** Pays, once, after somebody has agreed. */
  readonly pay: Tool
  /** Looks something up. */
  readonly look: Tool
  /** Tokens of the family's account. Default: the first of `caps`. */
  readonly cap?: number
}

/** Tokens that an account may begin with. Each cap is less than what the answers of a family use. */
export const caps: readonly [number, ...number[]] = [250, 450, 650, 850]

/** Tokens that are added to an account that asks for more. */
export const addedTokens = 100_000

/** Tokens of each answer of a model. */
const answerTokens = 100

/** Tokens of all answers of a family. */
export const familyTokens = 10 * answerTokens

/**
 * Two agents. The first looks something up, asks a person, pays, looks again and says that it is done. The second is the
 * root of a family of four members on three levels, whose lowest member works as the first agent does. The account of the
 * family refuses a request in each run, and asks for more.
 */
export function payingAgents({ store, leaseMs, pay, look, cap = caps[0] }: FamilyParts): readonly [Agent, Agent] {
  const agent = (
    name: string,
    tools: NonNullable<AgentOptions['tools']>,
    answers: readonly ScriptedAnswer[],
    more: Partial<AgentOptions> = {},
  ) => {
    const replies = answers.map((answer) => ({ ...answer, usage: { totalTokens: answerTokens } }))
    const model = scripted(replies, { maxTokens: answerTokens })
    return createAgent({ name, model, tools, store, leaseMs, ...more })
  }
  const done = { text: 'Done.' }
  const looks = (id: string) => calls(call(id, 'look'))
  const payer = agent('payer', [pay, look], [looks('c1'), calls(call('c2', 'pay')), looks('c3'), done])
  const work = { prompt: 'Pay.' }
  const works = (member: Agent) => member.asTool({ description: 'Works.' })
  const clerk = agent('clerk', [works(payer)], [calls(call('c1', 'payer', work)), done])
  const scout = agent('scout', [look], [looks('c1'), done])
  const both = calls(call('c1', 'clerk', work), call('c2', 'scout', work))
  const limits = { limits: { maxTokens: cap }, onLimit: 'ask' } as const
  return [payer, agent('head', [works(clerk), works(scout)], [both, done], limits)]
}

/** The heads of families, one for each cap. Runs of any of them are driven by each other one. */
export function headsOf(parts: Omit<FamilyParts, 'cap'>): readonly Agent[] {
  return caps.map((cap) => payingAgents({ ...parts, cap })[1])
}
