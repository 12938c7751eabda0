import { expect, test } from 'vitest'
import { runMigrations } from '../../machines/run/run.schema.ts'
import type { InboxItem, InboxRow } from '../../src/domain/inbox.ts'
import { userMessage } from '../../src/domain/message.ts'

const { document: step } = runMigrations[2]
const rowsOf = (...items: readonly InboxItem[]) =>
  items.map((item, index): InboxRow => ({ id: index + 4, item, at: 2 }))
const sweep = [userMessage('Then sweep.', 1)]
const brief = [userMessage('Be brief.', 1)]
const inbox = rowsOf(
  { kind: 'cancel' },
  { kind: 'followUp', messages: sweep },
  { kind: 'followUp', text: 'Be brief.' },
  { kind: 'steer', messages: sweep },
  { kind: 'followUp', messages: sweep },
)
const forward = (context: object, rows = inbox) =>
  step({ src: 'root', snapshot: { context: { ...context } } }, { inbox: rows }).context

test.each<[string, object, object]>([
  ['nothing queued', { turn: 1, queue: [], input: [], value: null }, { turn: 1, queue: [], input: 'taken' }],
  ['fields left out that are as at the start', { turn: 1 }, { turn: 1 }],
  [
    'a row for what is queued',
    { queue: [{ kind: 'steer', messages: sweep, isFiltered: false }] },
    { queue: [{ kind: 'steer', isFiltered: false, inboxId: 7 }] },
  ],
  [
    'rows that say the same, each named once and in order',
    { queue: Array.from({ length: 3 }, () => ({ kind: 'followUp', messages: sweep })) },
    {
      queue: [
        { kind: 'followUp', inboxId: 5 },
        { kind: 'followUp', inboxId: 8 },
        { kind: 'followUp', messages: sweep },
      ],
    },
  ],
  [
    'no row that says the same in the same way',
    { queue: [{ kind: 'followUp', messages: brief, isFiltered: true }] },
    { queue: [{ kind: 'followUp', messages: brief, isFiltered: true }] },
  ],
  [
    'an input that is not in the log, and a plan of a request',
    { input: brief, value: { order: 7 }, request: { model: 'big', messages: brief } },
    { input: brief, request: { model: 'big', messages: brief } },
  ],
])('CKP-07 a run of schema 2 goes on by heads: %s', (_, context, expected) => {
  expect(forward(context)).toEqual(expected)
})

test('CKP-07 a run of schema 2 keeps its messages where nothing is known of its inbox', () => {
  const queue = [{ kind: 'followUp', messages: sweep }]
  expect(forward({ queue }, [])).toEqual({ queue })
})

test('CKP-07 what filters and builder were asked in schema 2 is asked by its head', () => {
  const child = (src: string, input: object) => ({ src, snapshot: { input, status: 'active' } })
  const asked = (context: object, children: Record<string, ReturnType<typeof child>>) =>
    Object.values(step({ src: 'root', snapshot: { context: { ...context }, children } }, { inbox }).children ?? {}).map(
      ({ snapshot }) => snapshot,
    )
  const said = { kind: 'followUp', messages: sweep }
  expect(asked({ input: brief }, { f: child('filterInput', { kind: 'prompt', messages: brief }) })).toEqual([
    { input: { kind: 'prompt', input: 'row' }, status: 'active' },
  ])
  expect(asked({ input: brief }, { b: child('buildContext', { messages: brief, value: { order: 7 } }) })).toEqual([
    { input: { input: 'row' }, status: 'active' },
  ])
  const waiting = { kind: 'steer', messages: sweep }
  expect(asked({ queue: [waiting, { ...said, isFiltered: false }] }, { f: child('filterInput', said) })).toEqual([
    { input: { kind: 'followUp', inboxId: 5 }, status: 'active' },
  ])
  const unknown = { kind: 'steer', messages: brief }
  expect(asked({ queue: [{ ...unknown, isFiltered: false }] }, { f: child('filterInput', unknown) })).toEqual([
    { input: unknown, status: 'active' },
  ])
  const call = child('toolCall', { kind: 'prompt' })
  expect(asked({}, { call })).toEqual([call.snapshot])
})

test('CKP-07 a call of schema 2 that stands alone goes on as it is, and nothing that is brought forward is changed in place', () => {
  const call = { context: { queue: [{ kind: 'steer', messages: sweep }] } }
  expect(step({ src: 'toolCall', snapshot: call }, { inbox })).toBe(call)
  const snapshot = { context: { queue: [{ kind: 'steer', messages: sweep }], input: [] } }
  const text = JSON.stringify([snapshot, inbox])
  step({ src: 'root', snapshot }, { inbox })
  expect(JSON.stringify([snapshot, inbox])).toBe(text)
})
