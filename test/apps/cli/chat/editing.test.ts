import { expect, test } from 'vitest'
import { KeyReader } from '../../../../src/apps/cli/chat/keys.ts'
import { LineEditor } from '../../../../src/apps/cli/chat/line-editor.ts'
import { Screen } from '../../../../src/apps/cli/chat/screen.ts'
import { systemClock } from '../../../../src/ports.ts'
import { SmallScreen } from '../small-screen.ts'

/** What is left of a draft after these keys, with the cursor as `|`, and the lines that were ended. */
function typed(...pieces: readonly string[]): { readonly draft: string; readonly lines: readonly string[] } {
  const reader = new KeyReader()
  const editor = new LineEditor(['first', 'second'])
  const lines = pieces.flatMap((piece) => reader.read(piece)).flatMap((key) => editor.take(key) ?? [])
  const { text, cursor } = editor.draft
  return { draft: `${text.slice(0, cursor)}|${text.slice(cursor)}`, lines }
}

const up = '\u001b[A'
const down = '\u001b[B'
const left = '\u001b[D'

test.each([
  ['abc', 'abc|'],
  [`abc${left}${left}x`, 'ax|bc'],
  ['abc\u007f', 'ab|'],
  ['a😀\u007f', 'a|'],
  [`a😀${left}b`, 'ab|😀'],
  ['one two\u0017', 'one |'],
  ['one two\u0015', '|'],
  ['one two\u0001\u000b', '|'],
  ['one\u001b\rtwo\u0001x', 'one\nx|two'],
  [up, 'second|'],
  [`${up}${up}${up}`, 'first|'],
  [`half${up}${down}`, 'half|'],
  ['\u001b[200~one\r\ntwo\u0003\u001b[201~', 'one\ntwo\u0003|'],
  ['\u001b[1;5Xa\u0007', 'a|'],
  // A word to the left and to the right, as xterm, tmux, the Linux console and rxvt send it.
  ...['\u001b[1;5D', '\u001b[1;3D', '\u001b[5D', '\u001bOd', '\u001bb'].map((back) => [`one two${back}x`, 'one x|two']),
  ...['\u001b[1;5C', '\u001b[1;3C', '\u001b[5C', '\u001bOc', '\u001bf'].map((on) => [
    `one two\u0001${on}x`,
    'onex| two',
  ]),
  // Older lines that hold what is typed.
  ['\u0012', 'second|'],
  ['fir\u0012', 'first|'],
  ['s\u0012\u0012', 'first|'],
  ['s\u0012\u0012\u0012', 'first|'],
  ['odd\u0012', 'odd|'],
  ['\u001ba', '|'],
  // Home and End as xterm, tmux, screen, the Linux console and rxvt send them, and Alt with an arrow.
  ...['\u001b[H', '\u001bOH', '\u001b[1~', '\u001b[7~'].map((home) => [`b${home}a`, 'a|b']),
  ...['\u001b[F', '\u001bOF', '\u001b[4~', '\u001b[8~'].map((end) => [`bc\u0001a${end}d`, 'abcd|']),
  [`ab\u001b${left}c`, 'ac|b'],
  // A function key of the Linux console, and a click of the mouse.
  ['a\u001b[[Ab', 'ab|'],
  ['a\u001b[M yyb', 'ab|'],
])('CLI-01 edits %j', (keys, draft) => {
  expect(typed(keys)).toEqual({ draft, lines: [] })
  expect(typed(...(keys.match(/[^]/gu) ?? []))).toEqual({ draft, lines: [] })
})

test('CLI-01 searches for the text typed after a draft was cleared', () => {
  const editor = new LineEditor(['fix it', 'make tea'])
  const press = (keys: string) => {
    for (const key of new KeyReader().read(keys)) editor.take(key)
    return editor.draft.text
  }
  expect(press('fi\u0012')).toBe('fix it')
  editor.set('')
  expect(press('\u0012')).toBe('make tea')
})

// A paste of this length took minutes before.
test('CLI-01 deletes the last word of a long paste', () => {
  const [word, blanks] = ['a'.repeat(100_000), ' '.repeat(100_000)]
  const paste = (text: string) => `\u001b[200~${text}\u001b[201~`
  expect(typed(paste(`${word}${blanks}b`), '\u0017')).toEqual({ draft: `${word}${blanks}|`, lines: [] })
  expect(typed(paste(`${word}${blanks}`), '\u0017')).toEqual({ draft: '|', lines: [] })
})

test('CLI-01 ends a line at Enter, and a pasted one only at the end of the paste', () => {
  expect(typed('one\r\u001b[200~a\rb\u001b[201~', '\r', up)).toEqual({ draft: 'a\nb|', lines: ['one', 'a\nb'] })
})

test.each(['\u001b', '\u001b[', '\u001b[1;'])(
  'CLI-01 accepts a key after %j if nothing else followed in time',
  (escape) => {
    const reader = new KeyReader()
    expect(reader.read(escape)).toEqual([])
    expect(reader.waitMs).toBe(50)
    expect(reader.leaveSequence()).toEqual(escape === '\u001b' ? { kind: 'named', name: 'escape' } : undefined)
    expect(reader.waitMs).toBeUndefined()
    expect(reader.read('a')).toEqual([{ kind: 'character', text: 'a' }])
  },
)

test('CLI-01 the beginning of a paste without its end is not a key', () => {
  const reader = new KeyReader()
  expect(reader.read('\u001b[200~one\u001b')).toEqual([])
  expect(reader.waitMs).toBeUndefined()
  reader.leaveSequence()
  expect(reader.read('[201~')).toEqual([{ kind: 'paste', text: 'one' }])
})

const strings = [']y', ']52;c;eQ==', 'P1$ry', '_Gi=1;y', '^y', 'Xy'].flatMap((text) => [
  `\u001b${text}`,
  asControl(text),
])

/** The same string, begun by one control character. */
function asControl(text: string): string {
  return `${String.fromCharCode(text.charCodeAt(0) + 0x40)}${text.slice(1)}`
}

test.each(strings)('CLI-01 reads the terminal string %j to its end, in one piece and in many', (string) => {
  for (const end of ['\u0007', '\u001b\\', '\u009c']) {
    const pieces = ['a', `${string}${end}`, 'b']
    expect(typed(...pieces)).toEqual({ draft: 'ab|', lines: [] })
    expect(typed(...pieces.join(''))).toEqual({ draft: 'ab|', lines: [] })
  }
})

test('CLI-01 ends a terminal string at another sequence and at a key that cannot be part of it', () => {
  expect(typed('b\u001b]y', `${left}a`)).toEqual({ draft: 'a|b', lines: [] })
  expect(new KeyReader().read('\u001b]y\u0003')).toEqual([{ kind: 'named', name: 'interrupt' }])
  expect(new KeyReader().read('\u001bPtmux;\u001b\u001b]y\u0007\u001b\\')).toEqual([])
})

test('CLI-01 abandons a terminal string that does not continue, or is too long', () => {
  const reader = new KeyReader()
  expect(reader.read('\u001b]y')).toEqual([])
  expect(reader.read('y')).toEqual([])
  expect(reader.waitMs).toBe(1_000)
  reader.leaveSequence()
  expect([reader.waitMs, ...reader.read('a')]).toEqual([undefined, { kind: 'character', text: 'a' }])
  reader.read('\u001b]')
  for (let piece = 0; piece < 10; piece++) expect(reader.read('y'.repeat(100_000))).toEqual([])
  expect(reader.read('a')).toEqual([{ kind: 'character', text: 'a' }])
})

/** A screen of so many columns, and what its terminal shows. */
function shown(columns: number, env: Readonly<Record<string, string>> = {}) {
  const small = new SmallScreen(columns)
  let bytes = 0
  const write = (text: string) => {
    bytes += text.length
    small.write(text)
  }
  const io = { stdout: { write }, stderr: { write }, stdin: process.stdin, env, cwd: '/', isTTY: true, columns }
  const screen = new Screen({ ...io, clock: systemClock, signal: new AbortController().signal }, (text) => text)
  return { screen, small, bytes: () => bytes }
}

test.each([10, 20, 80, 200])('CLI-01 keeps its footer below the scrolling text, in %i columns', (columns) => {
  const { screen, small } = shown(columns)
  const long = 'x'.repeat(300)
  for (const text of ['', 'one', long, 'a\nb', `${long}\n${long}`]) {
    screen.show({ rows: [`queued: ${long}`, 'ready'], prompt: '> ', draft: { text, cursor: text.length } })
  }
  screen.write('out')
  screen.write('put\nmore')
  screen.show({ rows: ['ready'], prompt: '> ', draft: { text: 'ab', cursor: 1 } })
  expect(small.rows).toEqual(['output', 'more', 'ready', '> ab'])
  expect(small.beforeCursor).toBe('> a')
  expect(small.broken).toBe(0)
  screen.write(' of it\n')
  screen.hide()
  expect(small.rows).toEqual(['output', 'more of it'])
})

test('CLI-01 writes a row of wide characters that is longer than the terminal once', () => {
  const { screen, small } = shown(20)
  const line = `${'日本'.repeat(30)}.`
  screen.write('before\n')
  screen.show({ rows: ['ready'], prompt: '> ', draft: { text: '', cursor: 0 } })
  for (const piece of line.match(/.{1,7}/gu) ?? []) screen.write(`\u001b[36m${piece}\u001b[39m`)
  expect(small.rows).toEqual(['before', '…日本日本日本日本.', 'ready', '>'])
  expect(small.broken).toBe(0)
  screen.write('\n')
  expect(small.rows.join('')).toBe(`before${line}ready>`)
})

test('CLI-01 writes only a few times the length of a growing row', () => {
  const { screen, bytes } = shown(80)
  screen.show({ rows: ['ready'], prompt: '> ', draft: { text: '', cursor: 0 } })
  for (let piece = 0; piece < 200; piece++) screen.write('z'.repeat(100))
  screen.write('\n')
  expect(bytes()).toBeLessThan(100_000)
})

test('CLI-01 writes no more of a draft of a million characters than fits on the screen', () => {
  const { screen, bytes } = shown(80)
  screen.show({ rows: [], prompt: '> ', draft: { text: 'a'.repeat(1_000_000), cursor: 500_000 } })
  expect(bytes()).toBeLessThan(1_000)
})
