import { planCalls } from '../effects/plan-calls.ts'
import type { CallPlan } from '../domain/call-plan.ts'
import type { AssistantMessage } from '../domain/message.ts'
import { type AgentOptions, partsOf } from './options.ts'
import { randomIds } from './system-clock.ts'

/** What an agent would do with the calls of one answer, by look-up, schemas, priorities and `needs`; plugins are not asked. */
export async function planTurn(
  options: AgentOptions,
  turn: number,
  answer: AssistantMessage,
): Promise<readonly CallPlan[]> {
  const source = { turn, isFinishing: false, modelIndex: 0 }
  const { plans } = await planCalls(partsOf(options), source, answer, { ids: randomIds })
  return plans
}
