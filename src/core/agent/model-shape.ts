import { isRecord } from '../domain/text/json.ts'
import { badOption, having, type OptionCheck } from '../domain/text/option-shape.ts'

/** The check of a model. */
export const model: OptionCheck = (value, option) => {
  having('a model, such as scripted([…]) or anthropic(…)', 'stream')(value, option)
  if (isRecord(value) && typeof value['provider'] === 'string' && typeof value['id'] === 'string') return
  throw badOption(option, value, 'Expected a model with the texts provider and id.')
}
