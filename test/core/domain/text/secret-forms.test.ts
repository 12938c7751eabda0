import { expect, test } from 'vitest'
import { formsOf } from '../../../../src/core/domain/text/secret-forms.ts'

test.each<[string, readonly string[]]>([
  ['abcdefgh', ['abcdefgh', 'YWJjZGVmZ2', 'FiY2RlZmdo', 'hYmNkZWZna']],
  [
    'a/b c"ü+',
    [
      'a/b c"ü+',
      ...['a%2Fb%20c%22%C3%BC%2B', 'a%2fb%20c%22%c3%bc%2b', 'a%2Fb+c%22%C3%BC%2B', 'a%2fb+c%22%c3%bc%2b'],
      ...[String.raw`a/b c\"ü+`, String.raw`a\/b c\"ü+`, String.raw`a/b c\"\u00fc+`, String.raw`a\/b c\"\u00fc+`],
      String.raw`a/b c\\\"ü+`,
      ...['YS9iIGMiw7wr', 'EvYiBjIsO8K', 'hL2IgYyLDvC'],
    ],
  ],
  // A short secret has no shorter forms: a text of two letters would be masked inside words.
  ['abc', ['abc', 'YWJj', 'FiY', 'hYm']],
  ['ab', ['ab', 'YW', 'Fi', 'hY']],
])('TOOL-03 finds the written forms of %j, without a letter of the text beside it', (secret, forms) => {
  expect(formsOf(secret)).toEqual(forms)
  for (const before of ['', 'x', 'xy'])
    for (const after of ['', '\n', 'zz']) {
      const text = Buffer.from(`${before}${secret}${after}`).toString('base64')
      expect(forms.filter((form) => text.includes(form)).length).toBeGreaterThan(0)
    }
})
