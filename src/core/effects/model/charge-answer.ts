import { type Amount, noAmount } from '../../domain/account.ts'
import type { Reserved } from '../../domain/charge-account.ts'
import type { AssistantMessage } from '../../domain/message.ts'
import { ModelError } from '../../domain/model-error.ts'
import { isRecord } from '../../domain/text/json.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model, ModelRequest, Prices } from '../../ports/model.ts'
import type { RunAccount } from '../../ports/run-account.ts'
import { TokenCounter } from '../../prompt/estimate-tokens.ts'
import type { AgentParts } from '../agent-parts.ts'
import { pricesOf } from './answer-cost.ts'
import { LimitReached } from './limit-reached.ts'
import type { RunMemory } from './run-memory.ts'

/** The maximum tokens that are reserved for an answer. */
const mostOutput = 4_096

/**
 * Makes a request that its run's family pays for: reserves the estimate, and settles with the actual cost. The cost of
 * an aborted request stays unknown.
 */
export async function chargeAnswer(
  account: RunAccount,
  parts: Pick<AgentParts, 'prices'>,
  asked: Estimated & { readonly model: Model; readonly isFinal?: boolean },
  memory: RunMemory,
  { key, fence, ids }: Pick<EffectContext, 'key' | 'fence' | 'ids'>,
  perform: () => Promise<AssistantMessage>,
): Promise<AssistantMessage> {
  // A repeated performance has the same key, and is paid for once more.
  const attempt = `${key}/${fence}/${ids.next('try')}`
  const estimate = estimateOf(asked, pricesOf(parts, asked.model), memory.fit?.counter)
  const reserved = await account.reserve({ attempt, ...estimate, isForced: asked.isFinal === true })
  if (reserved !== 'reserved') throw refusalOf(reserved, asked.model)
  let spent: Amount | undefined
  try {
    const answer = await perform()
    spent = spentOn(answer, estimate)
    return answer
  } catch (error) {
    if (isUnpaid(error)) spent = noAmount
    throw error
  } finally {
    // An attempt that cannot be settled now stays reserved, and is charged as unknown later.
    await account.settle(attempt, spent).catch(() => undefined)
  }
}

/** The parts of a request whose cost is estimated. */
export interface Estimated {
  readonly model: Pick<Model, 'maxTokens'>
  readonly request: Pick<ModelRequest, 'system' | 'messages' | 'tools' | 'maxTokens'>
}

type Estimate = Omit<Amount, 'nanos'> & Partial<Amount>

/** Returns the estimated cost of a request; without a price, only its tokens. */
export function estimateOf(
  { model, request }: Estimated,
  prices: Prices | undefined,
  counter: TokenCounter = new TokenCounter(),
): Estimate {
  const tools = request.tools.length === 0 ? 0 : counter.ofText(JSON.stringify(request.tools))
  const system = counter.ofText(request.system) + tools
  const input = request.messages.reduce((sum, message) => sum + counter.of(message), system)
  const output = Math.min(request.maxTokens ?? model.maxTokens ?? mostOutput, mostOutput)
  const tokens = wholeUnits(Math.ceil(input + output)) ?? Number.MAX_SAFE_INTEGER
  const nanos = prices && wholeUnits(Math.ceil((input * prices.input + output * prices.output) * nanosOfPrice))
  return { tokens, ...(nanos === undefined ? {} : { nanos }) }
}

/** Billionths of a dollar for a token, at a price of one dollar for a million. */
const nanosOfPrice = 1_000

/** Returns the cost of an answer; without a known price, the reserved amount. */
function spentOn({ usage, cost }: AssistantMessage, { nanos: estimated = 0 }: Estimate): Amount {
  const nanos = cost === undefined ? undefined : wholeUnits(Math.round(cost * 1_000_000_000))
  const isFree = usage.totalTokens === 0
  return {
    tokens: wholeUnits(Math.ceil(usage.totalTokens)) ?? Number.MAX_SAFE_INTEGER,
    nanos: nanos ?? (isFree ? 0 : estimated),
  }
}

/** Returns undefined for a number that is no amount, such as one of a price that is not a number. */
function wholeUnits(units: number): number | undefined {
  return units >= 0 ? Math.min(units, Number.MAX_SAFE_INTEGER) : undefined
}

function refusalOf(reserved: Exclude<Reserved, 'reserved'>, { provider, id }: Model): ModelError {
  if (reserved === 'unpriced') {
    const wish = 'Give its price in the option "prices", or choose a model with a price.'
    return new ModelError(
      'api',
      `The model ${provider}/${id} has no price, and the cost of the family has a limit. ${wish}`,
    )
  }
  if (reserved === 'unknown')
    return new ModelError('api', 'The account of the family is missing, because its root was deleted.')
  const isAsked = reserved === 'ask_max_tokens' || reserved === 'ask_max_cost'
  const isCost = reserved === 'max_cost' || reserved === 'ask_max_cost'
  return new LimitReached(isCost ? 'max_cost' : 'max_tokens', isAsked)
}

const neverConnected: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]

/** Returns true for a request that the provider has refused, or that has never reached it. */
function isUnpaid(error: unknown): boolean {
  if (!(error instanceof ModelError)) return false
  if (error.status !== undefined || ['rate_limit', 'auth', 'overflow'].includes(error.kind)) return true
  const causes = [error.cause, isRecord(error.cause) ? error.cause['cause'] : undefined]
  return causes.some((cause) => isRecord(cause) && neverConnected.includes(cause['code']))
}
