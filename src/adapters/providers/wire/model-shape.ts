import * as is from '../../../core/domain/text/option-shape.ts'
import { isRecord } from '../../../core/domain/text/json.ts'
import type { CacheMarks, Prices } from '../../../core/ports/model.ts'
import type { ModelOptions } from './model-options.ts'

/** Throws a `UsageError` for a model's name that is not a text, and for unknown or invalid options. */
export function checkModel<Options>(
  maker: string,
  model: unknown,
  given: unknown,
  shape: is.OptionShape<Options>,
): void {
  is.filledText(model, { field: 'model', owner: maker })
  is.checkOptions(maker, given, shape, otherNames)
}

const tokens = is.number('a whole number of 1 or more', (value) => Number.isInteger(value) && value >= 1)

/** The check of a cache strategy. */
export const cache: is.OptionCheck = (value, option) => {
  if (value === 'auto' || value === 'disabled') return
  if (!isRecord(value)) throw is.badOption(option, value, 'Expected auto, disabled, or the places to mark.')
  is.options<CacheMarks>({ system: is.optional(is.flag), tools: is.optional(is.flag), messages: is.optional(is.flag) })(
    value,
    option,
  )
}

/** The checks of the options that every provider has. */
export const modelShape: is.OptionShape<ModelOptions> = {
  apiKey: is.optional(secret),
  credentials: is.optional(is.callback),
  maxTokens: is.optional(tokens),
  thinking: is.optional(is.oneOf('off', 'minimal', 'low', 'medium', 'high')),
  contextWindow: is.optional(tokens),
  prices: is.optional(
    is.options<Prices>({ input: is.amount, output: is.amount, cacheRead: is.amount, cacheWrite: is.amount }),
  ),
  headers: is.optional(headers),
  idleTimeoutMs: is.optional(is.number('a number above 0', (value) => value > 0)),
  limiter: is.optional(is.having('a limiter, such as providerLimiter(…)', 'enter', 'leave')),
  fetch: is.optional(is.callback),
  now: is.optional(is.callback),
}

/** Its error never contains the value. */
function secret(value: unknown, option: is.OptionName): void {
  if (typeof value !== 'string') throw is.badOption(option, `a ${typeof value}`, 'Expected a text.')
}

function headers(value: unknown, option: is.OptionName): void {
  const wish = 'Expected texts by the names of headers.'
  if (!isRecord(value)) throw is.badOption(option, value, wish)
  const odd = Object.entries(value).find(([, header]) => typeof header !== 'string')
  if (odd !== undefined)
    throw is.badOption({ ...option, field: `${option.field}[${JSON.stringify(odd[0])}]` }, odd[1], wish)
}

const otherNames: is.OtherNames = {
  key: 'apiKey',
  token: 'apiKey',
  baseUrl: 'baseURL',
  url: 'baseURL',
  endpoint: 'baseURL',
  timeout: 'idleTimeoutMs',
  reasoning: 'thinking',
  effort: 'thinking',
}
