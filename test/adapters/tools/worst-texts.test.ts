import { describe, expect, test } from 'vitest'
import { changedLines } from '../../../src/adapters/tools/changed-lines.ts'
import { findText } from '../../../src/adapters/tools/find-text.ts'
import { foreignText } from '../../../src/adapters/tools/foreign-text.ts'
import { planEdits } from '../../../src/adapters/tools/plan-edits.ts'
import { showChange } from '../../../src/adapters/tools/render-diff.ts'
import { ripgrepPattern } from '../../../src/adapters/tools/ripgrep-pattern.ts'
import { readFrontmatter } from '../../../src/adapters/tools/skill-frontmatter.ts'
import { blockedBy } from '../../../src/adapters/tools/blocked-command.ts'
import { addressPasswordsIn } from '../../../src/core/domain/text/address-password.ts'
import { secretsIn } from '../../../src/adapters/tools/secrets.ts'

// Each text here kept the process busy for seconds to minutes, or would: the tests end because the work is bounded.

describe('an edit', () => {
  const nearly = `${'a'.repeat(200_000)}b${'a'.repeat(200_000)}`
  const cases: readonly (readonly [what: string, text: string, oldText: string, wrong: string])[] = [
    ['of a text that the file nearly holds everywhere', 'a'.repeat(5_000_000), nearly, 'differs from its start'],
    ['of one long line in a file of many', 'a b\n'.repeat(100_000), 'x y '.repeat(100_000), 'Nothing like it was'],
    ['of a file of 5,000,000 line feeds', '\n'.repeat(5_000_000), 'x', 'Nothing like it was found'],
    ['of a file of words', 'word '.repeat(1_000_000), 'sword '.repeat(60_000), 'Nothing like it was found'],
    ['of white space', `${' '.repeat(4_000_000)}x`, '\t'.repeat(400_000), 'Nothing like it was found'],
    ['of lines ended otherwise', 'a\r\n'.repeat(1_000_000), `${'a\n'.repeat(100_000)}b`, 'differs from its start at'],
    ['that stands everywhere', '\n'.repeat(5_000_000), '\n'.repeat(100_000), 'more than 10 times'],
  ]

  test.each(cases)('TOOL-02 refuses an edit cheaply: one %s', async (_what, text, oldText, wrong) => {
    expect(await planEdits(text, [{ oldText, newText: 'z' }])).toEqual({ wrong: expect.stringContaining(wrong) })
  })

  test('TOOL-02 lets timers fire between edits and while it searches for the nearest line', async () => {
    let ticks = 0
    const ticking = setInterval(() => ticks++, 0)
    const edits = Array.from({ length: 20 }, (_, index) => ({ oldText: `<${index}>`, newText: 'z' }))
    const text = `${edits.map(({ oldText }) => oldText).join('')}${'a b\n'.repeat(50_000)}`
    await planEdits(text, [...edits, { oldText: 'missing', newText: '' }])
    clearInterval(ticking)
    expect(ticks).toBeGreaterThan(20)
  })
})

describe('a preview', () => {
  const many = 100_000
  const cases: readonly (readonly [what: string, before: string, after: string, diff: RegExp])[] = [
    ['lines in the reverse order', numbers(20_000), numbers(20_000).split('\n').toReversed().join('\n'), /^\[No diff/],
    ['two halves that change places', halves('a', 'b'), halves('b', 'a'), /^\[No diff: too many lines change/],
    ['a file of line feeds to one without', '\n'.repeat(5_000_000), 'x', /^\[No diff: too many lines change/],
    [
      'a file of line feeds to nothing',
      '\n'.repeat(5_000_000),
      '',
      /^--- a\/a\n\+\+\+ b\/a\n@@ -1,5000000 \+0,0 @@\n-\n/,
    ],
    ['one line of 5,000,000 characters', 'a'.repeat(5_000_000), 'a'.repeat(4_999_999), /\[… 4999899 characters …\]/],
    [
      'lines equal but for their ends',
      `${'a'.repeat(4_000)}\n`.repeat(1_000),
      `${'a'.repeat(3_999)}b\n`.repeat(200),
      /\[… 3899 characters …\]a/,
    ],
  ]

  test.each(cases)('TOOL-02 makes a preview cheaply: one of %s', async (_what, before, after, diff) => {
    const shown = await showChange('a', { before: { stamp: 'x', bytes: before.length, text: before }, after })
    expect(shown.diff.slice(0, 60_000)).toMatch(diff)
    expect(shown.diff.length).toBeLessThan(50_100)
  })

  function halves(one: string, other: string): string {
    return `${one}\n`.repeat(many / 4) + `${other}\n`.repeat(many / 4)
  }
})

test('TOOL-02 compares lines up to a number of steps, and no further', async () => {
  const zeros = Array.from({ length: 40_000 }, () => '0')
  expect(await changedLines([...zeros, '1'], ['1', ...zeros])).toBeDefined()
  expect(await changedLines([...zeros, ...'12'.repeat(1_500)], [...'12'.repeat(1_500), ...zeros])).toBeUndefined()
})

test('TOOL-02 finds a text at every place, including overlaps', async () => {
  expect(await findText('aabaaabaaab', 'aabaa', 10)).toEqual([0, 4])
  expect(await findText('aaaa', 'aa', 2)).toEqual([0, 1])
  expect(await findText('abcabdabcabcabd', 'abcabd', 10)).toEqual([0, 9])
})

describe('the frontmatter of a skill', () => {
  const cases: readonly (readonly [what: string, yaml: string, problem: string])[] = [
    [
      '20,000 keys',
      numbers(20_000).replaceAll('\n', ': 1\n'),
      'has no frontmatter between two lines of "---" in its first',
    ],
    ['as many keys as fit', numbers(2_500).replaceAll('\n', ':\n'), 'has no description'],
    ['a key twice', 'description: a\ndescription: b', 'has frontmatter that cannot be read: it has a field twice.'],
    ['brackets', '}'.repeat(16_000), 'has frontmatter that cannot be read'],
    ['nothing but beginnings of an end', '\n--- '.repeat(1_000_000), 'has frontmatter that cannot be read'],
  ]

  test.each(cases)('CTX-03 refuses frontmatter cheaply if it has %s', (_what, yaml, problem) => {
    const read = readFrontmatter(`---\n${yaml}\n---\n`, 'a')
    expect(read).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })
})

test('TOOL-02 does not pass ripgrep a query that takes forever even on nothing', () => {
  const query = String.raw`(?:a?b?|c?|){40}\b`
  expect(ripgrepPattern({ query, regex: true, ignoreCase: false })).toBeUndefined()
})

test('TOOL-04 reads only the beginning of a long foreign text', () => {
  expect(foreignText('a\u200b'.repeat(10_000_000), 3)).toBe('aaa…')
  expect(foreignText('\u200b'.repeat(20_000_000), 3)).toBe('…')
  expect(foreignText(`${'\u200b'.repeat(9)}ab😀`, 3)).toBe('ab…')
})

test('TOOL-03 reads commands and addresses of any length once', () => {
  expect(blockedBy(':'.repeat(10_000_000))).toBeUndefined()
  expect(addressPasswordsIn(`://${'a:'.repeat(5_000_000)}`)).toEqual([])
  expect(secretsIn({ A: '?password='.repeat(100_000) }).length).toBeGreaterThan(0)
})

function numbers(count: number): string {
  return Array.from({ length: count }, (_, index) => `${index}\n`).join('')
}
