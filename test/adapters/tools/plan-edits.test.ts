import { expect, test } from 'vitest'
import { planEdits } from '../../../src/adapters/tools/plan-edits.ts'

const text = 'one two\n  three four\nfive\nfive\n'

test.each([
  ['one place', [['three', '3']], 'one two\n  3 four\nfive\nfive\n'],
  ['more lines than one', [['two\n  three', '2\n3']], 'one 2\n3 four\nfive\nfive\n'],
  [
    'several places in any order',
    [
      ['four\nfive\n', '4\n5\n'],
      ['one', '1'],
    ],
    '1 two\n  three 4\n5\nfive\n',
  ],
  [
    'places that touch',
    [
      ['one ', '1 '],
      ['two', '2'],
    ],
    '1 2\n  three four\nfive\nfive\n',
  ],
  ['text with a pattern of replacement in it', [['one', '$& $1 $$']], '$& $1 $$ two\n  three four\nfive\nfive\n'],
  ['the end', [['five\nfive\n', '']], 'one two\n  three four\n'],
])('TOOL-02 replaces %s', async (_what, edits, after) => {
  expect(await planEdits(text, asEdits(edits))).toEqual({ after })
})

test.each([
  ['text that stands twice', text, [['five', '5']], 'oldText was found 2 times, at lines 3, 4. Add lines around it.'],
  ['overlapping finds', 'aaa', [['aa', 'b']], 'oldText was found 2 times, at lines 1, 1. Add lines around it.'],
  [
    'text that stands often',
    'x\n'.repeat(20),
    [['x', 'y']],
    'oldText was found more than 10 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11. Add lines around it.',
  ],
  [
    'text that differs in white space',
    text,
    [['three  four', '']],
    'oldText was found 0 times. Line 2 differs from its start at most in white space. Copy the text exactly.',
  ],
  [
    'text that is near',
    text,
    [['one twice', '']],
    'oldText was found 0 times. Nearest is line 1: "one two". Copy the text exactly.',
  ],
  [
    'text unlike any',
    text,
    [['zebra', '']],
    'oldText was found 0 times. Nothing like it was found. Read the file again.',
  ],
  [
    'lines ended otherwise',
    'one\r\ntwo\r\n',
    [['one\ntwo', '']],
    'oldText was found 0 times. The lines of this file end in CRLF: write them as \\r\\n.',
  ],
  [
    'a second edit that fits nowhere',
    text,
    [
      ['one', '1'],
      ['zebra', ''],
    ],
    'oldText of edit 2 was found 0 times. Nothing like it was found. Read the file again.',
  ],
  [
    'edits that overlap',
    text,
    [
      ['one two', ''],
      ['two\n', ''],
    ],
    'Two edits overlap at line 1. Join them.',
  ],
  ['an edit that changes nothing', text, [['one', 'one']], 'oldText and its newText are equal: nothing would change.'],
])('TOOL-02 refuses %s', async (_what, given, edits, wrong) => {
  expect(await planEdits(given, asEdits(edits))).toEqual({ wrong })
})

function asEdits(pairs: readonly (readonly string[])[]) {
  return pairs.map(([oldText = '', newText = '']) => ({ oldText, newText }))
}
