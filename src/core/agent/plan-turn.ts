import { unstoredDetails } from '../domain/run-details.ts'
import { planCalls } from '../effects/permissions/plan-calls.ts'
import { serviceTool } from '../effects/tools/service-tool.ts'
import type { CallPlan } from '../domain/call-plan.ts'
import type { AssistantMessage } from '../domain/message.ts'
import type { Tool } from '../ports/tool.ts'
import { type AgentOptions, partsOf } from './options.ts'
import { randomIds, systemClock } from './system-clock.ts'
import { isTool, refuseAll, takeTools } from './take-tools.ts'

/**
 * What an agent would do with the calls of one answer, by look-up, schemas, priorities and `needs`. Plugins are not
 * asked, and toolsets are not opened.
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

/** What a model of the agent may call without a toolset: its tools, and its services as tools. */
export function ownTools({ tools = [], services = [] }: Pick<AgentOptions, 'tools' | 'services'>): readonly Tool[] {
  return [...tools.filter(isTool), ...services.map(serviceTool)]
}
