import { expect, test } from 'vitest'
import { decodeDifference, encodeDifference } from '../../../src/adapters/stores/sqlite/text-difference.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const twelve = 'abcdefghijkl'

test.each<[string, string, string]>([
  ['', '', ''],
  [letters, '', ''],
  ['', 'abc', '3:abc'],
  [letters, 'zzzzz', '5:zzzzz'],
  [letters, letters, '0,10;'],
  [letters, `NEW${letters}`, '3:NEW0,10;'],
  [letters, `${letters}NEW`, '0,10;3:NEW'],
  [letters, `${letters.slice(0, 18)}NEW${letters.slice(18)}`, '0,i;3:NEWi,i;'],
  [letters, letters.slice(0, 11), `b:${letters.slice(0, 11)}`],
  [letters, letters.slice(0, 12), '0,c;'],
  [letters, letters.slice(4, 16), '4,c;'],
  [letters, letters.slice(5, 17), '5,c;'],
  [letters, letters.slice(24), 'o,c;'],
  [letters, `${letters.slice(3, 20)}!${letters.slice(3, 20)}`, '3,h;1:!10,h;'],
  ['', twelve.repeat(4), `c:${twelve}0,c;c,c;o,c;`],
  ['0123456789😀😀😀abcdefgh', '😀😀😀abcdefgh😀', 'a,e;2:😀'],
  ['ab😀cdefghijklmnop', '😁cdefghijklmnop', '2:😁4,e;'],
  ['xx\u{10000}cdefghijklmnop', '\u{10400}cdefghijklmnop', '2:\u{10400}4,e;'],
  ['0123456789ab\u{10000}', '0123456789ab\u{10001}', '0,c;2:\u{10001}'],
  ['0123456789ab😀', '0123456789ab😁', '0,c;2:😁'],
])('CKP-04 CKP-08 keeps of a text what it adds, and points at the rest: %#', (known, text, difference) => {
  expect(encodeDifference(known, text)).toBe(difference)
  expect(decodeDifference(known, difference)).toBe(text)
})

test.each<[string, string | undefined]>([
  ['', ''],
  ['3:abc', 'abc'],
  ['0:', ''],
  ['0,3;3:xyz3,6;9,3;', 'abcxyzdefabcxyz'],
  ['00000001:x', 'x'],
  ['4:abc', undefined],
  ['abc', undefined],
  [':abc', undefined],
  ['3;abc', undefined],
  ['0,3', undefined],
  ['0,3:', undefined],
  ['0,;', undefined],
  ['0,7;', undefined],
  ['6,1;', undefined],
  ['000000001:x', undefined],
  ['1:x A,1;', undefined],
  ['3:abc!', undefined],
])('CKP-09 reads %j as %j, after six letters', (difference, text) => {
  expect(decodeDifference('abcdef', difference)).toBe(text)
})
