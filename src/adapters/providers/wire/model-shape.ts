import {
  amount,
  badOption,
  callback,
  checkOptions,
  flag,
  having,
  filledText,
  number,
  oneOf,
  optional,
  type OptionCheck,
  type OptionName,
  options,
  type OptionShape,
  type OtherNames,
} from '../../../core/domain/text/option-shape.ts'
import { isRecord } from '../../../core/domain/text/json.ts'
import type { CacheMarks, Prices } from '../../../core/ports/model.ts'
import type { ModelOptions } from './model-options.ts'

/** Throws a `UsageError` for a model's name that is not a text, and for unknown or invalid options. */
export function checkModel<Options>(maker: string, model: unknown, given: unknown, shape: OptionShape<Options>): void {
  filledText(model, { field: 'model', owner: maker })
  checkOptions(maker, given, shape, otherNames)
}

const tokens = number('a whole number of 1 or more', (value) => Number.isInteger(value) && value >= 1)

/** The check of a cache strategy. */
export const cache: OptionCheck = (value, option) => {
  if (value === 'auto' || value === 'disabled') return
  if (!isRecord(value)) throw badOption(option, value, 'Expected auto, disabled, or the places to mark.')
  options<CacheMarks>({ system: optional(flag), tools: optional(flag), messages: optional(flag) })(value, option)
}

/** Checks of the options every provider takes. */
export const modelShape: OptionShape<ModelOptions> = {
  apiKey: optional(secret),
  credentials: optional(callback),
  maxTokens: optional(tokens),
  thinking: optional(oneOf('off', 'minimal', 'low', 'medium', 'high')),
  contextWindow: optional(tokens),
  prices: optional(options<Prices>({ input: amount, output: amount, cacheRead: amount, cacheWrite: amount })),
  headers: optional(headers),
  idleTimeoutMs: optional(number('a number above 0', (value) => value > 0)),
  limiter: optional(having('a limiter, such as providerLimiter(…)', 'enter', 'leave')),
  fetch: optional(callback),
  now: optional(callback),
}

/** Never says the value. */
function secret(value: unknown, option: OptionName): void {
  if (typeof value !== 'string') throw badOption(option, `a ${typeof value}`, 'Expected a text.')
}

function headers(value: unknown, option: OptionName): void {
  const wish = 'Expected texts by the names of headers.'
  if (!isRecord(value)) throw badOption(option, value, wish)
  const odd = Object.entries(value).find(([, header]) => typeof header !== 'string')
  if (odd !== undefined)
    throw badOption({ ...option, field: `${option.field}[${JSON.stringify(odd[0])}]` }, odd[1], wish)
}

const otherNames: OtherNames = {
  key: 'apiKey',
  token: 'apiKey',
  baseUrl: 'baseURL',
  url: 'baseURL',
  endpoint: 'baseURL',
  timeout: 'idleTimeoutMs',
  reasoning: 'thinking',
  effort: 'thinking',
}
