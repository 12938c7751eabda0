import * as is from '../domain/text/option-shape.ts'
import { isRecord } from '../domain/text/json.ts'
import { isText } from '../domain/text/shape.ts'
import type { ServiceContract } from './service-contract.ts'
import { schema } from './tool-shape.ts'

/**
 * Declares a service contract. Throws a `UsageError` for an unknown or invalid field.
 *
 * @example
 * const payment = contract({
 *   type: 'com.bank.payment',
 *   version: '1.0.0',
 *   accepts: z.object({ amount: z.number() }),
 *   emits: { 'evt.bank.payment.done': z.object({ receipt: z.string() }) },
 * })
 */
export function contract<const Contract extends ServiceContract>(given: Contract): Contract {
  checkContract(given)
  return given
}

/** Checks a contract, also as an item of a list. */
export const checkContract: (value: unknown) => void = (value) => {
  const owner =
    isRecord(value) && typeof value['type'] === 'string' ? `contract ${JSON.stringify(value['type'])}` : 'a contract'
  is.checkOptions(owner, value, shape)
}

const shortText = is.expecting('a type of at most 200 characters', (value) => isText(value) && value.length <= 200)
const type: is.OptionCheck = (value, option) => {
  is.filledText(value, option)
  shortText(value, option)
}

const emits: is.OptionCheck = (value, option) => {
  if (!isRecord(value) || Object.keys(value).length === 0)
    throw is.badOption(option, value, 'Expected the schemas of answers by the type of their event.')
  for (const [name, one] of Object.entries(value))
    schema(one, { ...option, field: `${option.field}[${JSON.stringify(name)}]` })
}

const domain = is.expecting('a text, or texts by the label "tenant" of a run', (value) => {
  const texts = isRecord(value) ? Object.values(value) : [value]
  return texts.every((one) => isText(one) && one !== '')
})

const shape: is.OptionShape<ServiceContract> = {
  type,
  version: is.filledText,
  description: is.optional(is.filledText),
  accepts: schema,
  emits,
  domain: is.optional(domain),
  cancel: is.optional(type),
  expiresInMs: is.optional(is.number('more than 0 milliseconds', (ms) => Number.isFinite(ms) && ms > 0)),
  onPartialSuspension: is.optional(is.oneOf('wait', 'continue')),
  executionUnits: is.optional(is.amount),
}
