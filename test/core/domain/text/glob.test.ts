import { array, assert, constantFrom, property } from 'fast-check'
import picomatch from 'picomatch'
import { expect, test } from 'vitest'
import { parseGlob } from '../../../../src/core/domain/text/glob.ts'

const options = { dot: true, nonegate: true, strictBrackets: true, noextglob: true, nocase: false }

const piece = constantFrom('a', 'b', '.', '*', '?', '/**/', '/', '[ab]', '[^a]', '{a,b}', '.env')
const pattern = array(piece, { minLength: 1, maxLength: 7 })
  .map((pieces) => pieces.join(''))
  // What a path never holds, and what stars beside stars mean, the two read in ways of their own. For picomatch the folder
  // itself is one of `a/**` and none of `a*/**`; here it is one of both.
  .filter(
    (text) =>
      !/\*\/\*\*$|\/\/|^\/|\/$|\*\*[^/]|[^/]\*\*|\*\*\/\*\*|\[^a\]\[|\.\.|\?\?|^\.\/|\/\.\/|\/\.$|^\.$/.test(text),
  )
const path = array(constantFrom('a', 'b', 'ab', '.a', '.env', 'a.b'), { minLength: 1, maxLength: 4 }).map((names) =>
  names.join('/'),
)

test('PERM-05 a glob matches the same paths as picomatch, including names that begin with a dot', () => {
  assert(
    property(pattern, path, (glob, text) => {
      expect(`${glob} ${text} ${parseGlob(glob).test(text)}`).toBe(`${glob} ${text} ${picomatch(glob, options)(text)}`)
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ['src/**', 'src', true],
  ['src/**', 'src/.git/x', true],
  ['src/*', 'src/a/b', false],
  ['s*/**', 'src', true],
  ['*/**', 'src', true],
  ['**/secrets/**', 'secrets/x', true],
  ['*.env', '.env', true],
  ['!a', 'a', false],
  ['!a', '!a', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
])('PERM-05 %s matches %s: %s', (glob, text, expected) => {
  expect(parseGlob(glob).test(text)).toBe(expected)
})

test('PERM-05 a star in a text matches anything, a star in a path one name', () => {
  expect(parseGlob('npm *', 'text').test('npm run a/b')).toBe(true)
  expect(parseGlob('npm *').test('npm run a/b')).toBe(false)
})

test('PERM-05 a glob of many stars checks each character of a long text once for each place', () => {
  const stars = '*a'.repeat(40)
  let looked = 0
  const text = { [Symbol.iterator]: () => counted('a'.repeat(5_000)) } as unknown as string
  function* counted(letters: string) {
    for (const letter of letters) {
      looked++
      yield letter
    }
  }
  expect(parseGlob(`${stars}b`).test(text)).toBe(false)
  expect(looked).toBe(5_000)
})

test.each(['', '[a', 'a{b', 'a}', '{a}', 'a\\', '[b-a]', 'x'.repeat(501), '{a,b}'.repeat(7)])(
  'PERM-05 refuses the pattern %j',
  (glob) => {
    expect(() => parseGlob(glob)).toThrow(TypeError)
  },
)
