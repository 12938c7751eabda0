import { expect, test } from 'vitest'
import { nearestName } from '../../../../src/core/domain/text/nearest-name.ts'

test.each<[string, readonly string[], string | undefined]>([
  ['model', ['modes', 'model'], 'model'],
  ['MODEL', ['model'], 'model'],
  ['mdoel', ['model'], 'model'],
  ['mdoel', ['mdoels', 'model'], 'mdoels'],
  ['modl', ['model'], 'model'],
  ['modell', ['model'], 'model'],
  ['motel', ['model'], 'model'],
  ['ab', ['ba'], 'ba'],
  ['ab', ['cd'], undefined],
  ['a', ['b'], 'b'],
  ['a', ['abc'], undefined],
  ['abcde', ['abxyz'], undefined],
  ['abcde', ['abcxy'], 'abcxy'],
  ['abcdefghij', ['abcdefwxyz'], 'abcdefwxyz'],
  ['abcdefghij', ['abcdevwxyz'], undefined],
  ['abcdefghij', ['abcde'], undefined],
  ['inputt', ['inputs', 'input'], 'inputs'],
  ['anything', [], undefined],
])('AGT-12 suggests %j among %j for %j', (given, names, expected) => {
  expect(nearestName(given, names)).toBe(expected)
})
