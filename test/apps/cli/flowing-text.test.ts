import { expect, test, vi } from 'vitest'
import type { Paint } from '../../../src/apps/cli/terminal/cli-io.ts'
import { flow, FlowingText } from '../../../src/apps/cli/terminal/flowing-text.ts'

const marks = { bold: 'B', dim: 'D', red: 'R', green: 'G', yellow: 'Y', cyan: 'C' } as const

/** Shows which words are painted: `B<word>`. */
const shown: Paint = (style, text) => `${marks[style]}<${text}>`
const none: Paint = (_, text) => text

const flowed = (text: string, width = 20, paint = shown) => flow(text, { width, paint }).split('\n')

test.each<[string, string, readonly string[]]>([
  ['wraps between words', 'one two three four five', ['one two three four', 'five']],
  ['breaks a word longer than a row', 'x'.repeat(45), ['x'.repeat(20), 'x'.repeat(20), 'xxxxx']],
  ['keeps empty lines', 'one\n\n\ntwo\n', ['one', '', '', 'two']],
  ['counts wide characters twice', '日本語の文字はここで折り返す', ['日本語の文字はここで', '折り返す']],
  ['shows bold across words', 'a **b c** d', ['a B<b> B<c> d']],
  ['shows bold inside a word', 'a**b**c', ['aB<b>c']],
  ['shows code', 'run `npm test`.', ['run C<npm> C<test>.']],
  ['shows a heading without its mark', '## Big news\nx', ['B<Big> B<news>', 'x']],
  ['hangs the rows of a list item', '- one two three four five\n', ['• one two three four', '  five']],
  ['hangs those of a numbered one', '12. one two three four', ['12. one two three', '    four']],
  ['leaves marks alone that end nowhere', '2 ** 3, **x and `y', ['2 ** 3, **x and `y']],
  ['leaves a rule and a hash alone', '---\n#tag', ['---', '#tag']],
  [
    'neither wraps fenced code nor reads marks in it',
    '```ts\nconst answer = `**forty-two**`\n# no\n```\n**x**',
    ['D<```ts>', 'C<const answer = `**forty-two**`>', 'C<# no>', 'D<```>', 'B<x>'],
  ],
])('CLI-01 %s', (_, text, expected) => {
  expect(flowed(text)).toEqual(expected)
})

test('CLI-01 leaves all Markdown marks if there are no colours, and still wraps', () => {
  const text = '# Big\n- **one** two `three` four five'
  expect(flowed(text, 20, none)).toEqual(['# Big', '- **one** two', '  `three` four five'])
})

test('CLI-01 puts a margin before every row', () => {
  expect(flow('one two three\n\nfour', { width: 10, margin: '  ', paint: none })).toBe('  one two\n  three\n  \n  four')
})

test('CLI-01 lays a text out the same from pieces of any size', () => {
  const text =
    '# A **b**\n\n1. some `code here` and **bold words** to wrap\n* x\n```\n  kept  as is\n```\n- \n**open `end'
  const whole = flowed(text, 24)
  for (const size of [1, 2, 3, 7]) {
    let written = ''
    const flowing = new FlowingText({ width: 24, paint: shown, write: (part) => (written += part) })
    for (let at = 0; at < text.length; at += size) flowing.add(text.slice(at, at + size))
    flowing.end()
    expect(joined(written)).toEqual(joined(whole.join('\n')))
  }
})

/** Code may be painted in more pieces than one. */
function joined(text: string): string {
  return text.trimEnd().replaceAll('>C<', '')
}

test('CLI-01 holds no text back for a mark that has no end', () => {
  let written = ''
  const flowing = new FlowingText({ width: 80, paint: shown, write: (part) => (written += part) })
  flowing.add(`see **this ${'and that '.repeat(30)}`)
  expect(written).toContain('**this and that')
})

// Each was a quarter of a minute and more before, at a tenth of the length.
test.each([
  ['blanks before a word', ' '.repeat(100_000), 'x'],
  ['a fence that does not end its line', '```', 'y'.repeat(100_000)],
])('CLI-01 reads %s in one pass', (_, head, tail) => {
  let flowing = ''
  const text = new FlowingText({ width: 20, paint: none, write: (part) => void (flowing += part) })
  text.add(head + tail)
  text.end()
  expect(flowing.replaceAll(/\s+/g, '')).toBe((head + tail).trim())
})

test('CLI-01 searches for the end of a line once, however many words the line has', () => {
  const line = 'word '.repeat(20_000)
  const look = vi.spyOn(String.prototype, 'indexOf')
  flow(line, { width: 20, paint: none })
  expect(look.mock.calls.filter(([wanted]) => wanted === '\n').length).toBeLessThan(10)
})

const table = [
  'Prices:',
  '| Item | Price | Note |',
  '|:--|--:|:-:|',
  '| Apples 🍎 | 3 | **now** |',
  '| 日本茶 | 12 | a \\| b |',
  '| short |',
  'Done.',
].join('\n')

test.each<[string, string, number, readonly string[]]>([
  [
    'aligns its columns, and counts wide characters twice',
    table,
    40,
    [
      'Prices:',
      'Item      │ Price │  Note',
      '──────────┼───────┼────────',
      'Apples 🍎 │     3 │ **now**',
      '日本茶    │    12 │  a | b',
      'short     │       │',
      'Done.',
    ],
  ],
  [
    'wraps the cells of one that is too wide',
    '|a|b|\n|-|-|\n|one two three four|five six seven|\n',
    19,
    ['a        │ b', '─────────┼─────────', 'one two  │ five six', 'three    │ seven', 'four     │'],
  ],
  ['leaves one alone that has too many columns', '|a|b|c|\n|-|-|-|', 12, ['|a|b|c|', '|-|-|-|']],
  ['leaves lines alone that are no table', '|x| is positive.\nSo is |y|.', 40, ['|x| is positive.', 'So is |y|.']],
  ['leaves one in fenced code alone', '```\n|a|\n|-|\n```', 40, ['```', '|a|', '|-|', '```']],
])('CLI-01 a table: %s', (_, text, width, expected) => {
  expect(flowed(text, width, none)).toEqual(expected)
})

test('CLI-01 draws a table once from pieces of any size, and makes its head bold', () => {
  const drawn = (size: number) => {
    let written = ''
    const flowing = new FlowingText({ width: 40, paint: shown, write: (part) => (written += part) })
    for (let at = 0; at < table.length; at += size) flowing.add(table.slice(at, at + size))
    flowing.end()
    return written
  }
  expect(drawn(1_000)).toContain('B<Item')
  for (const size of [1, 2, 3, 7]) expect(drawn(size)).toBe(drawn(1_000))
})
