import type { Json } from '../../domain/text/json.ts'
import type { AgentCore } from '../../driving/agent-core.ts'
import { pricesOf } from '../../effects/model/answer-cost.ts'
import { storedInput } from '../../family/deliver-ends.ts'
import { isParent } from '../../family/lineage.ts'
import { accountIn } from '../../family/run-account.ts'
import type { Store } from '../../ports/store.ts'
import { type Saying, would } from './saying.ts'

/** Returns true if the account of a run's family limits its cost. */
export async function hasCostLimit(store: Store, core: AgentCore, runId: string, input: Json): Promise<boolean> {
  const account = accountIn(runId, input, isParent(core))
  if (account === undefined) return false
  const { caps = accountIn(account.root, await storedInput(store, account.root), true)?.caps } = account
  return caps?.nanos !== undefined
}

/** Returns the saying that a model without a price is not asked while the cost is limited. */
export function unpriced({ models: [model], prices }: AgentCore['parts']): readonly Saying[] {
  if (model === undefined || pricesOf({ prices }, model) !== undefined) return []
  const what = `The model ${model.provider}/${model.id} would not be asked, because it has no price`
  return [would(`${what} and the cost of the run's family is limited. Give its price in the option "prices".`)]
}
