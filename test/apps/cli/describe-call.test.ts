import { expect, test } from 'vitest'
import { type CallLook, describeCall } from '../../../src/apps/cli/runs/describe-call.ts'
import type { CliIo } from '../../../src/apps/cli/terminal/cli-io.ts'
import { parseCommand } from '../../../src/apps/cli/setup/parse-command.ts'
import type { SuspendedCall } from '../../../src/apps/cli/setup/suspended-calls.ts'

const answers = { approve: 'APPROVE', another: 'ANOTHER', deny: 'DENY', respond: 'RESPOND', full: 'FULL' }

const { options } = parseCommand(['show', 'run-1'])

const io = { isTTY: false } as CliIo
const terminal = { isTTY: true, columns: 40 } as CliIo

const described = (call: Partial<SuspendedCall>, full = false, place = io, look: Partial<CallLook> = {}) =>
  describeCall(
    {
      callId: '1.a',
      suspensionId: 's',
      toolCallId: 'a',
      toolName: 'write_file',
      arguments: {},
      reason: 'approval',
      mayHaveRun: false,
      ...call,
    },
    answers,
    {
      paint: (style, text) => (place.isTTY ? `<${style} ${text}>` : text),
      options: { ...options, full },
      io: place,
      ...look,
    },
  )

test('CLI-01 shows the effect of an approval, with every argument as it would be passed', () => {
  expect(described({ arguments: { path: 'a', content: 'one\ntwo\n', lines: [1, 2] } })).toBe(
    [
      'suspended write_file (call 1.a): needs approval',
      '  path: a',
      '  content: ',
      '  │ one',
      '  │ two',
      '  │ ',
      '  lines: [1,2]',
      '  approve: APPROVE',
      '  deny:    DENY',
    ].join('\n'),
  )
})

test('CLI-01 spells out control characters of arguments, names and messages', () => {
  const text = described({ arguments: { 'pa\u001bth': '\u202ea\r' }, toolName: 'x\u0007', message: '\u009bm' })
  expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u)
  expect(text).toContain('  pa\\u{1b}th: \\u{202e}a\\u{d}')
})

test('CLI-01 reports how much of a long argument it does not show', () => {
  const call = { arguments: { content: `${'a'.repeat(4_000)}secret` } }
  expect(described(call)).not.toContain('secret')
  expect(described(call)).toContain('[… 6 characters are not shown: FULL]')
  expect(described(call, true)).toContain('aaasecret\n')
})

test('CLI-01 shows whether a write creates or replaces a file, and which', () => {
  expect(described({ target: { path: '/home/a', replaces: null } })).toContain('  creates /home/a\n')
  expect(described({ target: { path: '/home/a', replaces: 30 } })).toContain('  replaces /home/a (30 bytes)\n')
  expect(described({ target: { path: '/w\n/a\u200b', replaces: 0 } })).toContain(
    '  replaces /w\\u{a}/a\\u{200b} (0 bytes)\n',
  )
})

test.each([
  [{ reason: 'approval' }, ['APPROVE', 'DENY']],
  [{ reason: 'permission' }, ['APPROVE', 'DENY']],
  [{ reason: 'plugin', arguments: null }, ['APPROVE', 'DENY']],
  [{ reason: 'input' }, ['RESPOND', 'DENY']],
  [{ reason: 'service' }, ['RESPOND', 'DENY']],
  [{ reason: 'interrupted', mayHaveRun: true }, ['APPROVE', 'RESPOND', 'DENY']],
] as const)('CLI-01 offers for %j the answers %j', (call, expected) => {
  expect(described(call).match(/APPROVE|DENY|RESPOND/g)).toEqual(expected)
})

test('CLI-01 shows when a suspension expires, and what the call asks for', () => {
  const text = described({ reason: 'input', parameters: { unit: 'km' }, expiresAt: 0, message: 'How far?' })
  expect(text).toContain('  │ How far?\n  asked with: {"unit":"km"}\n  expires 1970-01-01T00:00:00.000Z\n')
})

test("CLI-01 wraps an argument behind a gutter, so that no line of it can look like the program's own", () => {
  const content = `${'x'.repeat(29)}  approve: statewright approve other\n世界${'世'.repeat(20)}`
  const lines = described({ arguments: { content } }, false, terminal).split('\n')
  const own = lines.filter((line) => !line.startsWith('  │ '))
  expect(own).toEqual([
    '<yellow suspended> <bold write_file> (call 1.a): needs approval',
    '  content: ',
    '  approve: APPROVE',
    '  deny:    DENY',
  ])
  const columns = (line: string) => [...line].reduce((sum, each) => sum + (/[\u3000-\uffff]/.test(each) ? 2 : 1), 0)
  const wrapped = lines.filter((line) => line.startsWith('  │ '))
  expect(wrapped.every((line) => columns(line) < 40)).toBe(true)
  expect(wrapped.map((line) => line.slice(4)).join('')).toBe(content.replace('\n', ''))
})

test("CLI-01 starts no line with an argument's name", () => {
  const text = described({ arguments: { 'a\n  approve: x': 'y' } })
  expect(text).toContain('  a\\u{a}  approve: x: y\n')
})

const filePreview = (diff: string, more: object = {}) => ({
  path: 'a',
  change: 'replace',
  diff,
  added: 1,
  removed: 2,
  before: { hash: 'h', bytes: 13, lines: 3 },
  after: { bytes: 4, lines: 1 },
  ...more,
})

test('CLI-01 shows the diff of a preview in colours, with sizes in lines and bytes', () => {
  const diff = '--- a/a\n+++ b/a\n@@ -1,3 +1,1 @@\n one\u202e\n--- two\n-three\n+2\n'
  expect(
    described({ preview: filePreview(diff) }, false, terminal)
      .split('\n')
      .slice(1, -2),
  ).toEqual([
    '  preview: +1 −2, 3 lines, 13 bytes → 1 line, 4 bytes',
    '  │ <bold --- a/a>',
    '  │ <bold +++ b/a>',
    '  │ <cyan @@ -1,3 +1,1 @@>',
    '  │  one\\u{202e}',
    '  │ <red --- two>',
    '  │ <red -three>',
    '  │ <green +2>',
  ])
})

test.each([
  [filePreview('', { change: 'none' }), '  preview: no change, 1 line, 4 bytes\n'],
  [filePreview('--- /dev/null\n+++ b/a\n', { before: null }), '  preview: +1 −2, no file → 1 line, 4 bytes\n'],
  [
    filePreview('[No diff: …]', { added: null, removed: null, before: { bytes: 3, lines: null } }),
    '  preview: 3 bytes, no text → 1 line, 4 bytes\n  │ [No diff: …]\n',
  ],
  ['Pays Ann\nand Bob', '  preview:\n  │ Pays Ann\n  │ and Bob\n'],
  [{ to: 'Ann' }, '  preview:\n  │ {"to":"Ann"}\n'],
])('CLI-01 shows the preview %j', (preview, expected) => {
  expect(described({ preview })).toContain(expected)
})

test('CLI-01 cuts a long diff at a hunk if it can, and shows how many changes are left out', () => {
  const hunk = (length: number) => `@@ -1 +1 @@\n${'+x\n'.repeat(length)}`
  const diff = `--- a/a\n+++ b/a\n${hunk(40)}${hunk(40)}`
  const cut = described({ preview: filePreview(diff) })
  expect(cut.match(/@@/g)).toHaveLength(2)
  expect(cut).toContain('  [… 41 lines are not shown, 40 of them changes: FULL]\n')
  const long = described({ preview: filePreview(`--- a/a\n+++ b/a\n${hunk(80)}`) })
  expect(long).toContain('  [… 23 lines are not shown, 23 of them changes: FULL]\n')
  expect(described({ preview: filePreview(diff) }, true)).not.toContain('not shown')
})

test('CLI-01 TC-08 names the steps of an interrupted call that are done and are not repeated', () => {
  const call = { reason: 'interrupted', mayHaveRun: true, steps: ['charge', 'ma\u202eil\n'] } as const
  expect(described({ ...call, steps: ['charge', 'mail'] })).toContain(
    'it may have run already\n  done, not repeated: charge, mail\n',
  )
  expect(described(call)).toContain('  done, not repeated: \n  │ charge, ma\\u{202e}il\n')
})

test.each<[string, Partial<SuspendedCall>, string | RegExp]>([
  [
    'a diff',
    { arguments: { path: 'a', content: 'x' }, preview: filePreview(`--- a/a\n+++ b/a\n${'+x\n'.repeat(60)}`) },
    '  │ +x\n  │ +x',
  ],
  ['an argument', { arguments: { path: 'a', content: `${'a'.repeat(4_000)}secret` } }, '  content: \n  │ secret'],
  [
    'an edit whose diff was whole',
    { arguments: { edits: [{ oldText: 'x', newText: 'y' }] }, preview: filePreview('--- a/a\n+++ b/a\n-x\n+y\n') },
    'That was everything.',
  ],
])('CLI-01 v shows the rest of %s, and repeats nothing', (_, call, rest) => {
  expect(described(call, false, io, { isAsked: true, part: 'rest' })).toBe(rest)
  expect(described(call, false, io, { isAsked: true })).not.toMatch(/newText|\(call 1\.a\)/)
})

test('CLI-01 shows the new text of a file that has no diff', () => {
  const preview = filePreview('[No diff: …]', { added: null, removed: null })
  expect(described({ arguments: { content: 'all of it' }, preview })).toContain('  content: all of it\n')
})
