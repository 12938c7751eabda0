import { describe, expect, test } from 'vitest'
import { citationPlants, missingPages } from './judge-citations.ts'
import { retiredWordIn } from './judge-words.ts'
import { readIdentifiers } from './read-identifiers.ts'

describe('word lint', () => {
  test.each([
    ['desk', 'desk'],
    ['ChartDesk', 'desk'],
    ['handsOf', 'hand'],
    ['handed-over', 'hand'],
    ['benches', 'bench'],
    ['#ledgers', 'ledger'],
    ['PendingOffer', 'offer'],
    ['offered', 'offer'],
    ['stagedCommit', 'stage'],
    ['staging', 'stage'],
    ['CRASH_WORLD', 'world'],
    ['lives', 'life'],
    ['src/runtime/lease-keeper.ts', 'keeper'],
    ['handler', undefined],
    ['RunHandle', undefined],
    ['shorthand', undefined],
    ['scenario', undefined],
    ['lifetime', undefined],
    ['keyboard', undefined],
    ['benchmark', undefined],
    ['storyteller', undefined],
    ['live', undefined],
  ])('reads %s as %s', (name, word) => {
    expect(retiredWordIn(name)).toBe(word)
  })

  test('reads every identifier with its line, and neither strings nor comments', () => {
    const text = [
      "import { a as b } from './desk.ts'",
      '// a desk',
      'export class C<D> extends E { readonly #f: G = "desk"; h?(i: J): asserts i is K }',
      "export type L = { [m in keyof N]: O['desk'] }",
      'p: for (const { q: r } of s) break p',
    ].join('\n')
    const names = readIdentifiers('x.ts', text).map(({ name, line }) => `${line} ${name}`)
    expect(names).toEqual(
      [
        '1 a',
        '1 b',
        '3 C',
        '3 D',
        '3 E',
        '3 f',
        '3 G',
        '3 h',
        '3 i',
        '3 J',
        '3 i',
        '3 K',
        '4 L',
        '4 m',
        '4 N',
        '4 O',
      ].concat(['5 p', '5 q', '5 r', '5 s', '5 p']),
    )
  })

  test('refuses a file it cannot parse instead of skipping it', () => {
    expect(() => readIdentifiers('x.ts', 'import { from')).toThrow(/x\.ts cannot be parsed/)
  })
})

describe('citations', () => {
  const pages = new Set(['docs/glossary.md'])

  test.each(citationPlants)('the page that is cited in "$text" is not here', ({ text, page }) => {
    expect(missingPages('a.ts', `1\n${text}`, pages)).toEqual([{ path: 'a.ts', line: 2, page }])
  })

  test.each(['glossary §3', 'See docs/glossary.md.', 'see `glossary.md`', 'Sum it up in notes.md', 'see the notes'])(
    'nothing is wrong with "%s"',
    (text) => {
      expect(missingPages('a.ts', text, pages)).toEqual([])
    },
  )
})
