import { coreOf } from '../../src/core/driving/core-of.ts'
import type { AgentCore } from '../../src/core/driving/agent-core.ts'
import { type BoundAgent, bindableOf, keepBindable, membersOf } from '../../src/core/family/lineage.ts'
import type { InheritedPermissions } from '../../src/core/effects/permissions/permission-parts.ts'
import type { Agent } from '../../src/index.ts'

/** The ways in which a member of a family comes about. */
export const ways = ['tool', 'continue', 'background', 'handover', 'branch', 'remote'] as const

/** One of them. */
export type Way = (typeof ways)[number]

/** The parts of an agent by which its calls are judged, as a fault changes them. */
interface JudgedBy {
  permissions?: AgentCore['parts']['permissions']
  inherited?: readonly InheritedPermissions[]
  rulesOfSpeaker?: (agent: string) => readonly InheritedPermissions[]
}

/** Has an agent forget the rules of the agents above it, when it is bound as a branch. */
export function forgetAsBranch(agent: Agent): void {
  const bindable = bindableOf(agent)
  if (bindable === undefined) throw new Error('The agent cannot be bound.')
  keepBindable(agent, {
    ...bindable,
    bind: (...given): BoundAgent => {
      const bound = bindable.bind(...given)
      forget(bound.core)
      return bound
    },
  })
}

/** Has the member that comes about this way, `level` levels below the root, forget the rules of those above it. */
export function forgetRules(root: Agent, way: Way, level: number): void {
  const chain = membersOf(coreOf(root, 'forgetRules'))
  // A remote agent is asked by the agent above it, and judges for itself.
  const core = chain[way === 'remote' ? level - 1 : level]
  if (core === undefined) return
  forget(core)
  if (way === 'remote') Object.assign<JudgedBy, JudgedBy>(core.parts, { permissions: { rules: [] } })
}

function forget({ parts }: AgentCore): void {
  Object.assign<JudgedBy, JudgedBy>(parts, { inherited: [], rulesOfSpeaker: () => [] })
}
