import { mostBranches } from '../domain/branch-group.ts'
import { amount, badOption, options, optional, text } from '../domain/text/option-shape.ts'
import { isRecord } from '../domain/text/json.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { groupOf, kindOf } from '../family/group-core.ts'
import { bindableOf } from '../family/lineage.ts'
import type { JudgeStrategy, Strategy } from '../ports/strategy.ts'
import { model } from './model-shape.ts'

const words: readonly unknown[] = ['transparent', 'pickFirst', 'tokenEfficient', 'elaborate']

/**
 * Returns the functions that drive a group of agents in a host. Throws a `UsageError` for invalid agents or an invalid
 * strategy.
 */
export function checkedGroup(host: AgentCore, agents: unknown, strategy: Strategy) {
  checkStrategy(strategy)
  if (!Array.isArray(agents)) throw badBranches('The branches are not a list.')
  if (agents.length < 1 || agents.length > mostBranches)
    throw badBranches(`A group of ${agents.length} branches is refused.`)
  if (strategy === 'transparent' && agents.length > 1) {
    const wish = 'Give one agent, or another strategy, such as "pickFirst".'
    throw new UsageError(
      'bad_branches',
      `The strategy "transparent" selects nothing among ${agents.length} branches. ${wish}`,
    )
  }
  const bindables = agents.map((agent: unknown, place) => {
    const bindable = bindableOf(agent)
    if (bindable === undefined) throw badBranches(`Branch ${place + 1} is not an agent.`)
    return bindable
  })
  return { ...groupOf(host, bindables, strategy), strategy: kindOf(strategy) }
}

function badBranches(found: string): UsageError {
  return new UsageError(
    'bad_branches',
    `${found} Expected a list of 1 to ${mostBranches} agents that createAgent() returned.`,
  )
}

const judge = options<JudgeStrategy>({ judge: model, instructions: optional(text), budget: optional(amount) })

function checkStrategy(strategy: unknown): void {
  if (words.includes(strategy) || typeof strategy === 'function') return
  const option = { field: 'strategy', owner: 'session.parallel' }
  if (isRecord(strategy)) return judge(strategy, option)
  const names = words.map((word) => JSON.stringify(word)).join(', ')
  throw badOption(option, strategy, `Expected ${names}, { judge: model }, or a function of the candidates.`)
}
