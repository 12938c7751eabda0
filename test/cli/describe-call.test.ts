import { expect, test } from 'vitest'
import { describeCall } from '../../src/cli/describe-call.ts'
import { parseCommand } from '../../src/cli/parse-command.ts'
import type { SuspendedCall } from '../../src/cli/suspended-calls.ts'

const answers = { approve: 'APPROVE', deny: 'DENY', respond: 'RESPOND', full: 'FULL' }

const { options } = parseCommand(['show', 'run-1'])

const described = (call: Partial<SuspendedCall>, full = false) =>
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
    { paint: (_style, text) => text, options: { ...options, full } },
  )

test('CLI-01 shows what an approval lets run, every argument as it would be written', () => {
  expect(described({ arguments: { path: 'a', content: 'one\ntwo\n', lines: [1, 2] } })).toBe(
    [
      'suspended write_file (call 1.a): needs approval',
      '  path: a',
      '  content: ',
      '    one',
      '    two',
      '    ',
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

test('CLI-01 says how much of a long argument it does not show', () => {
  const call = { arguments: { content: `${'a'.repeat(4_000)}secret` } }
  expect(described(call)).not.toContain('secret')
  expect(described(call)).toContain('[… 6 characters are not shown; all of them: FULL]')
  expect(described(call, true)).toContain('aaasecret\n')
})

test('CLI-01 says whether a write creates or replaces a file, and which', () => {
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

test('CLI-01 says when a suspension expires, and what the call asks with', () => {
  const text = described({ reason: 'input', parameters: { unit: 'km' }, expiresAt: 0, message: 'How far?' })
  expect(text).toContain('  How far?\n  asked with: {"unit":"km"}\n  expires 1970-01-01T00:00:00.000Z\n')
})
