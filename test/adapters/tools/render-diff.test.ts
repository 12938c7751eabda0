import { applyPatch } from 'diff'
import { array, assert, asyncProperty, constantFrom, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { absentFile } from '../../../src/adapters/tools/file-change.ts'
import { showChange } from '../../../src/adapters/tools/render-diff.ts'

const shown = (before: string, after: string) =>
  showChange('a', { before: { stamp: 'x', bytes: before.length, text: before }, after })

test('TOOL-02 shows a diff that turns the old text into the new one, with the number of lines', async () => {
  const line = constantFrom('a\n', 'b\n', 'c\n', '\n')
  const text = tuple(array(line, { maxLength: 30 }), constantFrom('', 'a', 'b')).map(
    ([lines, end]) => lines.join('') + end,
  )
  await assert(
    asyncProperty(text, text, async (before, after) => {
      const { diff, added, removed } = await shown(before, after)
      expect(applyPatch(before, diff)).toBe(after)
      const count = (sign: string) =>
        diff
          .split('\n')
          .slice(2)
          .filter((one) => one.startsWith(sign)).length
      expect(before === after ? [0, 0] : [added, removed]).toEqual([count('+'), count('-')])
    }),
    { numRuns: 300 },
  )
})

test('TOOL-02 shows what changes in one long line, anywhere in it', async () => {
  const line = (middle: string) => `${'x'.repeat(300_000)}${middle}${'y'.repeat(200_000)}`
  const { diff, added, removed } = await shown(line('old'), line('new'))
  const around = (middle: string) =>
    `[… 299900 characters …]${'x'.repeat(100)}${middle}${'y'.repeat(897)}[… 199103 characters …]`
  expect(diff).toBe(
    `--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-${around('old')}\n\\ No newline at end of file\n+${around('new')}\n\\ No newline at end of file\n`,
  )
  expect([added, removed]).toEqual([1, 1])
})

test('TOOL-02 shows both ends of a long change in a long line, and how much lies between them', async () => {
  const { diff } = await shown('short\n', `${'x'.repeat(60_000)}end\n`)
  expect(diff).toBe(
    `--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-short\n+${'x'.repeat(950)}[… 58103 characters …]${'x'.repeat(947)}end\n`,
  )
})

test('TOOL-02 shows short lines around long unchanged ones', async () => {
  const long = `${'z'.repeat(100_000)}\n`
  const { diff } = await shown(`${long}one\n`, `${long}two\n`)
  expect(diff).toBe(`--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n ${'z'.repeat(1_000)}[… 99000 characters …]\n-one\n+two\n`)
})

test('TOOL-02 shows 5,200 changed lines as changes', async () => {
  const lines = (from: number) => Array.from({ length: 5_200 }, (_, index) => `${from + index}\n`).join('')
  expect(await shown(lines(0), lines(10_000))).toMatchObject({ added: 5_200, removed: 5_200 })
})

test('TOOL-02 shows the beginning of a new file of a million lines, and counts all of them', async () => {
  const after = 'x\n'.repeat(1_000_000)
  const { diff, added } = await showChange('a', { before: absentFile, after })
  expect(diff).toMatch(/^--- \/dev\/null\n\+\+\+ b\/a\n@@ -0,0 \+1,1000000 @@\n\+x\n/)
  expect(diff).toMatch(/\n\[Cut after 50000 of 3000044 characters\.\]$/)
  expect(added).toBe(1_000_000)
})
