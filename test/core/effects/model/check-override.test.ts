import { expect, test } from 'vitest'
import type { Model } from '../../../../src/index.ts'
import { checkOverride } from '../../../../src/core/effects/model/check-override.ts'
import { modelsFrom } from '../../../../src/core/effects/model/order-models.ts'

const known = ['a/one', 'a/two']

test.each<[string, readonly unknown[], readonly unknown[], string]>([
  ['model', ['a/one', 'a/two'], [1], 'the name of a model'],
  ['thinking', ['off', 'minimal', 'low', 'medium', 'high'], ['huge', ''], 'off, minimal, low, medium or high'],
  ['temperature', [0, 0.5], [-0.1, Infinity, '1'], 'a finite number of 0 or more'],
  ['maxTokens', [1, 2], [0, 1.5, Infinity, '1'], 'a whole number of 1 or more'],
  ['toolChoice', ['auto', 'none'], ['any', ''], 'auto or none'],
  ['requiredCall', [true, 'act'], [false, 1], 'true or the name of a tool'],
])(
  'PH-01 a plugin may set %s to a valid request value, and gets an error with the valid values otherwise',
  (field, taken, refused, wish) => {
    for (const value of taken)
      expect(checkOverride({ [field]: value, cache: undefined }, known)).toEqual({ [field]: value })
    for (const value of refused) expect(() => checkOverride({ [field]: value }, known)).toThrow(`Expected ${wish}.`)
  },
)

test('PH-01 names the known settings and models to a plugin that sets another', () => {
  expect(() => checkOverride({ wrong: 1 }, known)).toThrow(
    'The setting "wrong" is not known. Known: model, thinking, temperature, maxTokens, toolChoice, requiredCall.',
  )
  expect(() => checkOverride({ model: 'a/three' }, known)).toThrow(
    'Model "a/three" is not one of this agent\'s. Known: a/one, a/two.',
  )
})

test('PRV-10 asks the model that a plugin chose first, then the others in their order', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((id): Model => ({
    provider: 'a',
    id,
    stream: async function* () {},
  }))
  if (one === undefined || two === undefined || three === undefined) throw new Error('Three models are needed.')
  const models = [one, two, three]
  expect(modelsFrom(models, 'a/two')).toEqual([two, one, three])
  expect(modelsFrom(models, 'a/gone')).toEqual(models)
  expect(modelsFrom(models, undefined)).toEqual(models)
})
