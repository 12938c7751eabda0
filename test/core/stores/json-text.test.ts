import { expect, test } from 'vitest'
import { stringifyJson } from '../../../src/core/stores/rows/json-text.ts'

test('CKP-09 says that a value cannot be stored, whatever it threw as it was read', () => {
  const odd = {
    toJSON: () => {
      throw Object.create(null)
    },
  }
  expect(() => stringifyJson(odd, 'The input')).toThrow(
    'The input cannot be stored: It threw a value that cannot be turned into text.',
  )
})
