import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { parseExpression } from '../../../../src/core/domain/text/expression.ts'

const atom = constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\d',
  '\\w',
  '\\.',
  '^',
  '$',
  '\\b',
  '\\B',
  'ſ',
  'É',
  '\\x61',
  '\\u0062',
)
const sign = constantFrom('', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?')
const joint = constantFrom('', '', '|')
const inner = array(
  atom.chain((one) => sign.map((how) => one + how)),
  { minLength: 1, maxLength: 3 },
)
const group = inner.chain((pieces) =>
  constantFrom('(', '(?:', '(?<n>').chain((open) => sign.map((how) => `${open}${pieces.join('')})${how}`)),
)
const source = array(
  constantFrom(0, 1).chain((kind) => (kind === 0 ? group : inner.map((pieces) => pieces.join('')))),
  { minLength: 1, maxLength: 3 },
).chain((pieces) => joint.map((between) => pieces.join(between)))
// Between the halves of a character outside of 16 bits the platform finds borders that the standard does not know.
const text = array(constantFrom('a', 'b', 'A', 's', '1', '.', ' ', '\n', 'ſ', 'é'), { maxLength: 6 })
const flags = constantFrom('', 'i', 'u', 'iu')

test('PERM-05 an expression matches the same texts as on the platform', () => {
  let compared = 0
  assert(
    property(source, flags, array(text, { minLength: 3, maxLength: 3 }), (expression, how, texts) => {
      const platform = platformOf(expression, how)
      if (platform === undefined) return
      const own = parseExpression(expression, how)
      for (const one of texts.map((chars) => chars.join(''))) {
        compared++
        expect(`/${expression}/${how} ${one} ${own.test(one)}`).toBe(
          `/${expression}/${how} ${one} ${platform.test(one)}`,
        )
      }
    }),
    { numRuns: 2_000 },
  )
  expect(compared).toBeGreaterThan(2_000)
})

/** Undefined for what is no expression, such as one that repeats a border. */
function platformOf(expression: string, how: string): RegExp | undefined {
  try {
    return new RegExp(expression, how)
  } catch {
    return undefined
  }
}

test.each([
  ['^\\.env(\\.\\w+)?$', '', '.env.local', true],
  ['^\\.env(\\.\\w+)?$', '', '.envx', false],
  ['a{', '', 'a{', true],
  ['a{,2}', '', 'a{,2}', true],
  ['a{2', '', 'aa', false],
  [']', '', ']', true],
  ['[]', '', 'a', false],
  ['[^]', '', '\n', true],
  ['[\\]a]b', '', ']b', true],
  ['^.$', '', '😀', false],
  ['^.$', 'u', '😀', true],
  ['^\\u{1F600}$', 'u', '😀', true],
  ['^\\uD83D\\uDE00$', 'u', '😀', true],
  ['^u{3}$', '', 'uuu', true],
  ['^\\u{3}$', '', 'uuu', true],
  ['^\\p{L}+$', 'u', 'éa', true],
  ['^\\cJ$', '', '\n', true],
  ['É', 'i', 'é', true],
  ['a||b', '', '', true],
  ['(?:a?){3}b', '', 'b', true],
  ['(?:){9}a', '', 'a', true],
  ['a{0}b', '', 'b', true],
])('PERM-05 /%s/%s matches %j: %s', (expression, how, one, fits) => {
  expect(new RegExp(expression, how).test(one)).toBe(fits)
  expect(parseExpression(expression, how).test(one)).toBe(fits)
})

test.each([
  ['(a)\\1', /a backreference/],
  ['(?<n>a)\\k<n>', /a backreference/],
  ['\\01', /a backreference/],
  ['a(?=b)', /a lookaround/],
  ['(?<!a)b', /a lookaround/],
  ['(?i:a)', /a lookaround/],
  ['a{1001}', /more than 1000/],
  ['(a{50}){50}', /more than 1000/],
  ['a(', /Invalid regular expression/],
])('PERM-05 refuses the expression /%s/ and says why', (expression, why) => {
  expect(() => parseExpression(expression, '')).toThrow(why)
})

test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^a*a*a*a*a*a*a*$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
  // One that went every way through the pattern would not come to an end.
  'PERM-05 /%s/ on its worst text checks each place once for each character',
  (expression) => {
    const { places, test: isFit } = parseExpression(expression, '')
    expect([isFit(`${'a'.repeat(20_000)}!`), places < 40]).toEqual([false, true])
  },
)
