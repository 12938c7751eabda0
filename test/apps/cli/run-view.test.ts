import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../src/index.ts'
import type { MessageDelta } from '../../../src/ports.ts'
import type { CliIo } from '../../../src/apps/cli/terminal/cli-io.ts'
import { createRunView } from '../../../src/apps/cli/runs/run-view.ts'
import { fakeClock, start } from '../../../proof/support/fake-clock.ts'

const head = { runId: 'run', subject: 'run', at: start, turn: 1 }
const begun: AgentEvent = { ...head, type: 'message.started', role: 'assistant' }
const updated = (delta: MessageDelta): AgentEvent => ({ ...head, type: 'message.updated', delta })
const thought = (delta: string) => updated({ type: 'thinking', delta })
const said = (delta: string) => updated({ type: 'text', delta })

/** A view of a terminal without colours, with a clock a test moves. */
function watch(options: { readonly columns?: number; readonly isInteractive?: boolean; readonly term?: string } = {}) {
  const { columns = 40, isInteractive = true, term = 'xterm' } = options
  const clock = fakeClock()
  let out = ''
  const sink = { write: (text: string) => (out += text) }
  const io: CliIo = {
    stdout: sink,
    stderr: sink,
    stdin: new PassThrough(),
    env: { TERM: term },
    cwd: '/',
    isTTY: isInteractive,
    columns,
    clock,
    signal: new AbortController().signal,
  }
  const view = createRunView({ io, isInteractive, paint: (_, text) => text })
  return { view, clock, written: () => out, screen: () => screenOf(out) }
}

/** What a terminal shows of a text: a carriage return goes back to the start of the row. */
function screenOf(text: string): readonly string[] {
  return text.split('\n').map((line) => {
    const row: string[] = []
    for (const part of line.split('\r')) for (const [index, character] of [...part].entries()) row[index] = character
    return row.join('').trimEnd()
  })
}

test('CLI-01 shows how long a model thinks, and the end of its thoughts', async () => {
  const { view, clock, screen } = watch()
  view.show(begun)
  expect(screen()).toEqual(['thinking 0 s'])
  clock.advance(1_000)
  await clock.sleeping(start + 2_000)
  expect(screen()).toEqual(['thinking 1 s'])
  clock.advance(65_000)
  view.show(thought('First I\n look at the folder, then I read what is there.'))
  expect(screen()).toEqual(['thinking 1 min 6 s  …ead what is there.'])
  view.finish()
  expect(screen()).toEqual([''])
})

test('CLI-01 writes an answer once if an escape sequence arrives in two pieces', () => {
  const { view, screen } = watch()
  const pieces = ['The \u001b', '[31mred', '\u001b[0', 'm one\u001b]0;a ti', 'tle\u001b', '\\. ', 'Esc \u001b']
  view.show(begun)
  for (const piece of pieces) view.show(said(piece))
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
  const answer = { role: 'assistant', stopReason: 'stop', model: 'm', provider: 'p', usage, timestamp: start } as const
  view.tell({ ...answer, content: [{ type: 'text', text: pieces.join('') }] })
  expect(screen().filter((row) => row !== '')).toEqual(['The red one. Esc'])
})

test('CLI-01 shows where a conversation was compacted', () => {
  const { view, written } = watch({ isInteractive: false })
  const compacted = { ...head, type: 'context.compacted', tier: 'summary' } as const
  view.show({ ...compacted, tokensBefore: 680, tokensAfter: 68 })
  view.show({ ...compacted, tokensBefore: 68, tokensAfter: 68 })
  expect(written().split('\n')).toEqual([
    'The conversation was shortened from 680 to 68 tokens.',
    'The conversation cannot be shortened further: 68 tokens.',
    '',
  ])
})

test('CLI-01 removes the status line once the answer starts', () => {
  const { view, clock, screen, written } = watch()
  view.show(begun)
  clock.advance(500)
  view.show(thought('Something long enough to fill the row.'))
  view.show(said('Hello there '))
  view.show(said('again.\n'))
  expect(screen()).toEqual(['Hello there again.', ''])
  expect(written()).not.toContain('\u001b')
  const before = written()
  clock.advance(5_000)
  expect(written()).toBe(before)
})

test('CLI-01 keeps the status line within the terminal, without control sequences', () => {
  const { view, clock, screen } = watch({ columns: 30 })
  view.show(begun)
  clock.advance(500)
  view.show(thought(`${'思'.repeat(100)}\u001b[2J\u202eend`))
  const [row = ''] = screen()
  expect(row).toMatch(/^thinking 1 s {2}….*思end$/)
  expect([...row].reduce((sum, one) => sum + (one === '思' ? 2 : 1), 0)).toBeLessThan(30)
})

test('CLI-01 names the call that a model is writing, after the text before it', () => {
  const { view, screen } = watch()
  view.show(begun)
  view.show(said('I write it.'))
  view.show(updated({ type: 'toolCall', id: 'call', name: 'write_file', delta: '{' }))
  expect(screen()).toEqual(['I write it.', 'writing write_file 0 s'])
})

test.each([{ isInteractive: false }, { term: 'dumb' }])('CLI-01 shows no status line with %j', (options) => {
  const { view, written } = watch(options)
  view.show(begun)
  view.show(thought('Hm.'))
  view.finish()
  expect(written()).toBe('')
})

const startOf = (callId: string, path: string): AgentEvent => ({
  ...head,
  type: 'toolExecution.started',
  callId,
  toolName: 'read_file',
  arguments: { path },
  attempt: 1,
})

const resultOf = (text: string): AgentEvent => ({
  ...head,
  type: 'message.ended',
  place: 3,
  message: {
    role: 'toolResult',
    callId: '1.call',
    toolCallId: 'call',
    toolName: 'read_file',
    content: [{ type: 'text', text }],
    isError: false,
    status: 'success',
    timestamp: start,
  },
})

test('CLI-01 names the subject of each result, and marks a warning', () => {
  const { view, screen } = watch()
  const lines = [...Array.from({ length: 13 }, (_, index) => String(index + 1)), '[Exit code 1.]']
  const results = [resultOf(lines.join('\n')), resultOf(lines.join('\n'))]
  for (const [index, event] of results.entries()) {
    if (event.type !== 'message.ended' || event.message.role !== 'toolResult') continue
    const message = { ...event.message, callId: `1.${index}`, status: index === 0 ? 'success' : 'warning' } as const
    view.show(startOf(message.callId, `${index}.txt`))
    view.tell(message)
  }
  expect(screen()).toEqual([
    '→ read_file {"path":"0.txt"}',
    '✓ read_file 0.txt',
    ...['  │ 1', '  │ 2', '  │ 3', '  │ [… 11 lines more]'],
    '→ read_file {"path":"1.txt"}',
    '! read_file 1.txt',
    ...['[… 3 lines before]', ...lines.slice(3)].map((row) => `  │ ${row}`),
    '',
  ])
})

test.each([
  ['one\ntwo', ['  │ one', '  │ two']],
  ['1\n2\n3\n4', ['  │ 1', '  │ 2', '  │ 3', '  │ 4']],
  ['1\n2\n3\n4\n5\n6', ['  │ 1', '  │ 2', '  │ 3', '  │ [… 3 lines more]']],
  ['x'.repeat(100), [`  │ ${'x'.repeat(34)}…`]],
  ['\u001b[2J\u0007hi', ['  │ hi']],
  [' \n', []],
])('CLI-01 shows the first lines of the result %j behind the gutter', (text, rows) => {
  const { view, screen } = watch()
  view.show(resultOf(text))
  expect(screen()).toEqual(['✓ read_file', ...rows, ''])
})

test('CLI-01 gives a pipe the text unchanged, and no results', () => {
  const { view, written } = watch({ isInteractive: false })
  const text = `# Title\n\n- **${'word '.repeat(40)}**`
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
  const answer = { role: 'assistant', stopReason: 'stop', model: 'm', provider: 'p', usage, timestamp: start } as const
  view.show(resultOf('one'))
  view.show({ ...head, type: 'message.ended', place: 2, message: { ...answer, content: [{ type: 'text', text }] } })
  expect(written()).toBe(`${text}\n`)
})

test('CLI-01 shows a continued answer once, and a restarted one completely', () => {
  const { view, screen } = watch()
  for (const event of [begun, said('One, '), said('two'), begun, said('One, two'), said(', three')]) view.show(event)
  for (const event of [begun, said('Four'), begun, said('Five')]) view.show(event)
  view.finish()
  expect(screen()).toEqual(['One, two', ', three', 'Four', 'Five', ''])
})

test('CLI-01 wraps its report of a failed attempt, and removes the status line first', () => {
  const { view, screen } = watch({ columns: 30 })
  view.show(begun)
  const error = { code: 'network_error', message: 'The server could not be reached.' }
  view.show({ ...head, type: 'model.failed', error, retryAt: start + 4_000 })
  expect(screen()).toEqual(['The server could not be', 'reached. Asking again in 4 s.', ''])
})

test('CLI-01 a result names the argument of its call, denied or not, and no row is wider than the terminal', () => {
  const { view, screen } = watch()
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
  const asks = { role: 'assistant', stopReason: 'toolUse', model: 'm', provider: 'p', usage, timestamp: start } as const
  const wide = '日本語の名前の文字はとても長いのでここで切る'
  const toolCalls = [
    { type: 'toolCall', id: 'x', name: 'write_file', arguments: { path: 'a.js' } },
    { type: 'toolCall', id: 'y', name: 'send', arguments: { to: wide } },
  ] as const
  const result = {
    role: 'toolResult',
    toolName: 'write_file',
    isError: true,
    status: 'error',
    timestamp: start,
  } as const
  const denied = { ...result, callId: '1.x', toolCallId: 'x', content: [{ type: 'text', text: 'Not there.' }] } as const
  view.show({ ...head, type: 'message.ended', place: 1, message: { ...asks, content: toolCalls } })
  view.show({
    ...head,
    type: 'toolExecution.started',
    toolName: 'send',
    arguments: { to: wide },
    callId: '1.y',
    attempt: 1,
  })
  view.show({ ...head, type: 'message.ended', place: 2, message: denied })
  const rows = screen().filter((row) => row !== '')
  expect(rows).toContain('✗ write_file a.js: Not there.')
  const columns = (row: string) => [...row].reduce((sum, each) => sum + (/[\u3000-\uffff]/.test(each) ? 2 : 1), 0)
  expect(Math.max(...rows.map(columns))).toBeLessThan(40)
})
