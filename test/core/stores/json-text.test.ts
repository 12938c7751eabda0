import { expect, test } from 'vitest'
import { stringifyJson } from '../../../src/core/stores/rows/json-text.ts'

test('CKP-09 reports a value that cannot be stored, with anything that it throws when it is read', () => {
  const odd = {
    toJSON: () => {
      throw Object.create(null)
    },
  }
  expect(() => stringifyJson(odd, 'The input')).toThrow(
    'The input cannot be stored: It threw a value that cannot be turned into text.',
  )
})
