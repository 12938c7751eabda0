import { accountKind, type AccountLimit, openAccount } from '../domain/account.ts'
import { refusalOf } from '../domain/charge-account.ts'
import { userMessage } from '../domain/message.ts'
import { rowOf } from '../domain/records/record-read.ts'
import { defined } from '../domain/text/json.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { pricesOf } from '../effects/model/answer-cost.ts'
import { estimateOf } from '../effects/model/charge-answer.ts'
import type { FamilyAccount } from '../ports/run-account.ts'

/**
 * Returns the limit that leaves too little for the first request of a child, so that the child does not start. Returns
 * undefined if somebody is asked for more. The account of a fork may not be open yet.
 */
export async function limitBefore(
  { store, parts }: AgentCore,
  { root, caps, asks }: FamilyAccount,
  prompt: string,
): Promise<AccountLimit | undefined> {
  const [model] = parts.models
  const read = async () => (await store.records([rowOf(accountKind, root)])).row(accountKind, root)?.body
  const account = await (caps === undefined ? read() : store.change(openAccount(root, caps, asks)))
  if (model === undefined || account === undefined) return undefined
  const messages = [userMessage(prompt, 0)]
  const request = { system: parts.instructions, messages, tools: [], ...defined({ maxTokens: parts.maxTokens }) }
  const refusal = refusalOf(account, estimateOf({ model, request }, pricesOf(parts, model)))
  return refusal === 'max_tokens' || refusal === 'max_cost' ? refusal : undefined
}
