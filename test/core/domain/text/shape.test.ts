import { expect, test } from 'vitest'
import {
  type Fits,
  hasTexts,
  isAmount,
  isBoolean,
  isByName,
  isFilledText,
  isListOf,
  isMissingOr,
  isNumber,
  isOneOf,
  isShaped,
  isText,
  isTexts,
  isTextsByName,
  isThere,
} from '../../../../src/core/domain/text/shape.ts'

class WithField {
  readonly name = 'ada'
}

const row = isShaped<{ readonly id: string; readonly cost?: number }>({ id: isText, cost: isMissingOr(isAmount) })

test.each<[what: string, Fits, fitting: readonly unknown[], others: readonly unknown[]]>([
  ['text', isText, ['', 'a'], [undefined, null, 1, ['a'], {}]],
  ['filled text', isFilledText, ['a', ' a '], ['', ' \n', '\ud800', 1, undefined]],
  ['number', isNumber, [0, -1, 0.5], ['1', null, undefined, true]],
  ['amount', isAmount, [0, 0.5, 7], [-1, Number.NaN, Number.POSITIVE_INFINITY, '1', null]],
  ['boolean', isBoolean, [true, false], [0, 'true', null, undefined]],
  ['anything there', isThere, [null, 0, '', false], [undefined]],
  ['text, or nothing', isMissingOr(isText), [undefined, 'a'], [null, 1]],
  ['one of words', isOneOf('one', 'all'), ['one', 'all'], ['two', '', undefined, ['one']]],
  ['texts', isTexts, [[], ['a', 'b']], [['a', 1], 'a', { 0: 'a' }, null]],
  ['list of rows', isListOf(row), [[], [{ id: 'a' }]], [[{}], { id: 'a' }]],
  ['texts by name', isTextsByName, [{}, { a: 'b' }], [{ a: 1 }, ['a'], null, 'a']],
  ['rows by name', isByName(row), [{}, { x: { id: 'a' } }], [{ x: {} }, [{ id: 'a' }]]],
  ['texts in fields', hasTexts('name'), [{ name: '' }, new WithField()], [{}, { name: 1 }, ['name'], null]],
  ['row', row, [{ id: 'a' }, { id: 'a', cost: 1, other: null }], [{}, { id: 'a', cost: -1 }, [], undefined, 'a']],
])('CKP-09 AGT-12 distinguishes %s from all other values', (_, fits, fitting, others) => {
  expect(fitting.map(fits)).toEqual(fitting.map(() => true))
  expect(others.map(fits)).toEqual(others.map(() => false))
})
