import { isRecord } from '../domain/text/json.ts'
import { badOption, having, type OptionCheck, number, options } from '../domain/text/option-shape.ts'
import type { Prices } from '../ports/model.ts'

/** The check of a model. */
export const model: OptionCheck = (value, option) => {
  having('a model, such as scripted([…]) or anthropic(…)', 'stream')(value, option)
  if (isRecord(value) && typeof value['provider'] === 'string' && typeof value['id'] === 'string') return
  throw badOption(option, value, 'Expected a model with the texts provider and id.')
}

const price = number('a finite number of US dollars, 0 or more', (value) => Number.isFinite(value) && value >= 0)
const pricesOfModel = options<Prices>({ input: price, output: price, cacheRead: price, cacheWrite: price })

/** The check of prices by model name. */
export const prices: OptionCheck = (value, option) => {
  if (!isRecord(value)) throw badOption(option, value, 'Expected prices by provider/model.')
  for (const [name, given] of Object.entries(value)) {
    const field = `${option.field}[${JSON.stringify(name)}]`
    if (!/^[^/]+\/./.test(name)) throw badOption({ ...option, field }, given, 'Expected the name as provider/model.')
    pricesOfModel(given, { ...option, field })
  }
}
