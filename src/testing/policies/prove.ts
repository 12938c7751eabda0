import { parsePolicy, parsedPolicies } from '../../core/domain/policies/parse-policy.ts'
import type { Policy } from '../../core/domain/policies/policy.ts'
import { parseRule } from '../../core/domain/permission-rule.ts'
import { checkOptions, number, optional, type OptionShape } from '../../core/domain/text/option-shape.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import { ownTools } from '../../core/agent/plan-turn.ts'
import { agentFrom, type AgentSource, type TestedAgent } from '../paths/agent-under-test.ts'
import { type CallClass, callClasses } from './argument-classes.ts'
import { personsIn, rulesIn } from './check-rules.ts'
import { exploreAgent, type ProofGraph, type Walked } from './explore-agent.ts'
import { judgeGraph } from './judge-graph.ts'
import { replayScript } from './play-policy.ts'
import type { PolicyScript } from './policy-script.ts'
import { waitsIn } from './waits-in.ts'

/** Options of `prove`. */
export interface ProveOptions {
  /** The maximum number of calls of a run. Default 3. */
  readonly calls?: number
  /** The maximum number of answers of people, services and time. Default 3. */
  readonly decisions?: number
  /** The maximum number of crashes. Default 2. */
  readonly crashes?: number
  /** The maximum number of moves that are made; each takes some milliseconds. Default 20,000. */
  readonly steps?: number
}

/** The state of the proof of one policy. */
export interface PolicyProof {
  readonly policy: string
  readonly verdict: 'proven' | 'broken' | 'undecided'
  /** The verdict with its bound, in a sentence. */
  readonly text: string
  /** The fewest moves that break the policy. */
  readonly script?: PolicyScript
  /** The atoms of the policy that held at no step: what the proof says about them is empty. */
  readonly unseen: readonly string[]
}

/** The result of `prove`. */
export interface ProofReport {
  readonly proofs: readonly PolicyProof[]
  /** Waits from which no answer and no time leads to an end of the run, such as `pay (approval)`. */
  readonly stranded: readonly string[]
  /** Waits without a time limit, which last until somebody answers. */
  readonly endless: readonly string[]
  /** The calls that the model made, with arguments that represent all values that the rules treat alike. */
  readonly calls: readonly string[]
  /** The number of different rests of a run. */
  readonly states: number
  /** The number of moves that were made. */
  readonly moves: number
}

const amount = number('a whole number of 0 or more', (value) => Number.isSafeInteger(value) && value >= 0)
const shape: OptionShape<ProveOptions> = {
  calls: optional(amount),
  decisions: optional(amount),
  crashes: optional(amount),
  steps: optional(amount),
}

/**
 * Proves policies over every run of an agent within a bound, or breaks them with the fewest moves. The agent's own
 * rules, policies, limits and order of calls decide. The engine makes each move, and a store in memory has the run. The
 * model may answer anything; tools succeed or ask; plugins, `needs` functions and permission managers may answer
 * whatever is allowed at that point. Throws a `UsageError` for an invalid policy, or for one that names an unknown
 * tool.
 *
 * @example
 * const { proofs } = await prove(options, 'never(ran(pay) and not approvedBy(anna))')
 */
export async function prove(
  source: AgentSource,
  policies: string | readonly string[],
  options: ProveOptions = {},
): Promise<ProofReport> {
  checkOptions('prove', options, shape)
  const parsed = parsedPolicies(typeof policies === 'string' ? [policies] : policies, 'prove')
  const agent = agentFrom(source)
  const walked = await walkedBy(agent, parsed, options)
  const graph = await exploreAgent(walked)
  const proofs: PolicyProof[] = []
  for (const policy of parsed) proofs.push(await proofOf(source, policy, walked, graph))
  const { nodes, moves } = graph
  return { proofs, ...waitsIn(graph), calls: walked.classes.map(nameOf), states: nodes.length, moves }
}

async function walkedBy(agent: TestedAgent, parsed: readonly Policy[], options: ProveOptions): Promise<Walked> {
  const { calls = 3, decisions = 3, crashes = 2, steps = 20_000 } = options
  const own = (agent.permissions?.policies?.texts ?? []).map(parsePolicy)
  const tools = ownTools(agent)
  const all = [...own, ...parsed]
  const { rules = {} } = agent.permissions ?? {}
  const listed = (['deny', 'allow', 'ask'] as const).flatMap((effect) =>
    (rules[effect] ?? []).map((text) => parseRule(effect, text)),
  )
  const classes = await callClasses(agent, tools, [...listed, ...rulesIn(all, tools)])
  const atoms = all.flatMap((policy) => policy.atoms)
  const amounts = atoms.flatMap((atom) => (atom.kind === 'spent' ? [atom.moreThan] : []))
  return {
    agent,
    classes,
    persons: personsIn(all),
    own,
    atoms,
    ...(amounts.length === 0 ? {} : { cost: Math.ceil(Math.max(...amounts)) + 1 }),
    bound: { calls, decisions, crashes },
    steps,
  }
}

async function proofOf(source: AgentSource, policy: Policy, walked: Walked, graph: ProofGraph): Promise<PolicyProof> {
  const { broken, unseen } = await judgeGraph(policy, graph)
  const { calls, decisions, crashes } = walked.bound
  const { text } = policy
  const bound = `${calls} calls with at most 2 in one answer, ${decisions} decisions and ${crashes} crashes`
  const far = `${graph.nodes.length} states and ${graph.moves} moves`
  if (broken === undefined && graph.isWhole)
    return { policy: text, verdict: 'proven', text: `${text}: proven within ${bound} (${far})`, unseen }
  if (broken === undefined) {
    const open = graph.nodes.filter(({ isWalked }) => !isWalked).length
    const how = `not decided within ${walked.steps} moves: ${far} are known to keep it, ${open} states are not walked`
    return { policy: text, verdict: 'undecided', text: `${text}: ${how}`, unseen }
  }
  const script = broken.filter((move, index) => index > 0 || move.kind !== 'restart' || move.crash !== undefined)
  const { steps, isBroken } = await replayScript(source, policy, script)
  if (!isBroken)
    throw new UsageError('bad_option', `A script that breaks ${text} does not run again: ${JSON.stringify(script)}`)
  return { policy: text, verdict: 'broken', text: `${text}: broken by ${steps.join(', ')}`, script, unseen }
}

function nameOf({ tool, arguments: given }: CallClass): string {
  return `${tool.name}(${JSON.stringify(given)})`
}
