import { expect, test } from 'vitest'
import { ArrivingText, oneLine, plainText, safeJson, visibleText } from '../../../src/apps/cli/terminal/safe-text.ts'

const escape = '\u001b'

test.each([
  ['colours', `${escape}[31mred${escape}[0m`, 'red'],
  ['a window title', `${escape}]0;owned\u0007text`, 'text'],
  ['a link', `${escape}]8;;https://evil.example${escape}\\click${escape}]8;;${escape}\\`, 'click'],
  ['clearing the screen', `a${escape}[2J${escape}[Hb`, 'ab'],
  ['eight-bit controls', 'a\u009b31mb\u0085c', 'abc'],
  ['a carriage return over earlier text', 'approve: safe\rdelete all', 'approve: safedelete all'],
  ['bells and backspaces', 'a\u0007b\u0008c\u007f', 'abc'],
  ['what nobody sees', 'a\u200b\u200c\u200d\u2060\u00adb\ufeff\u{e0061}\u{e0001}\u3164c', 'abc'],
  ['turned writing', 'abc\u202egnp.exe\u202c\u2066', 'abcgnp.exe'],
])('CLI-01 removes %s from text for the terminal', (_what, text, expected) => {
  expect(plainText(text)).toBe(expected)
})

test('CLI-01 leaves no control character if a sequence is split between two pieces', () => {
  expect(`${plainText(`a${escape}`)}${plainText('[31mb')}`).not.toContain(escape)
})

test('CLI-01 shows streamed text at once, except for at most the length of an escape sequence', () => {
  const arriving = new ArrivingText()
  const shown = ['plain ', `${escape}[3`, '1mred', 'x'.repeat(300), ' more', escape].map((piece) =>
    arriving.take(piece),
  )
  expect(shown).toEqual(['plain ', '', '', `red${'x'.repeat(300)}`, ' more', ''])
  expect(arriving.end()).toBe('')
})

test('CLI-01 keeps line feeds, tabs and every written character', () => {
  expect(plainText('a\r\n\tgrüße 世界 👩‍👩‍👧')).toBe('a\n\tgrüße 世界 👩‍👩‍👧')
})

test('CLI-01 spells out terminal control characters in texts to approve', () => {
  expect(visibleText(`a${escape}[2J\u202eb\r\n`)).toBe('a\\u{1b}[2J\\u{202e}b\\u{d}\n')
})

test.each(['\u200b', '\u200d', '\u00ad', '\ufeff', '\u{e0041}', '\u3164'])(
  'CLI-01 spells out an invisible character in texts to approve (%j)',
  (character) => {
    expect(visibleText(`a${character}b`)).toBe(`a\\u{${character.codePointAt(0)?.toString(16)}}b`)
  },
)

test('CLI-01 puts text on one line and cuts it between characters', () => {
  expect(oneLine(' a\n\n b\tc ')).toBe('a b c')
  expect(oneLine('👍👍👍', 2)).toBe('👍…')
})

test('CLI-01 prints JSON that is safe on a terminal and reads back the same', () => {
  const value = { text: `${escape}[31m\u009b\u202e\u007f\u200b\u{e0061} "quoted" grüße` }
  const printed = safeJson(value)
  expect(printed).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(JSON.parse(printed)).toEqual(value)
})
