import { unstoredDetails } from '../domain/run-details.ts'
import { planCalls } from '../effects/permissions/plan-calls.ts'
import { serviceTool } from '../effects/tools/service-tool.ts'
import type { CallPlan } from '../domain/call-plan.ts'
import type { AssistantMessage } from '../domain/message.ts'
import type { Tool } from '../ports/tool.ts'
import { type AgentOptions, partsOf } from './options.ts'
import { randomIds, systemClock } from '../ports/system-clock.ts'
import { isTool, refuseAll, takeTools } from './take-tools.ts'

/**
 * Returns an agent's plans for the calls of one answer, by lookup, schemas, priorities and `needs`. Does not ask
 * plugins or open toolsets.
 */
export async function planTurn(
  options: AgentOptions,
  turn: number,
  answer: AssistantMessage,
): Promise<readonly CallPlan[]> {
  const source = { turn, isFinishing: false, modelIndex: 0 }
  const { table } = takeTools([{ tools: ownTools(options) }], refuseAll)
  const { clock = systemClock } = options
  const context = { ids: randomIds, clock, signal: new AbortController().signal, run: unstoredDetails('planned') }
  const { plans } = await planCalls({ ...partsOf(options), tools: table }, source, answer, context)
  return plans
}

/** Returns the tools that a model may call without a toolset: the agent's tools, and its services as tools. */
export function ownTools({ tools = [], services = [] }: Pick<AgentOptions, 'tools' | 'services'>): readonly Tool[] {
  return [...tools.filter(isTool), ...services.map(serviceTool)]
}
