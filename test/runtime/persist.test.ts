import { expect, test } from 'vitest'
import type { LiveActor } from '../../src/runtime/effect-logic.ts'
import { captureActor, persistActor, reviveActor, topLevelState } from '../../src/runtime/persist.ts'

const actor = (snapshot: object, src: unknown = 'toolCall') =>
  ({ src, getSnapshot: () => snapshot }) as unknown as LiveActor

const defaults = {
  root: { turn: 0, list: [], map: {}, note: null, text: '' },
  toolCall: { attempt: 1 },
}

const snapshot = {
  status: 'active',
  value: { running: 'gate' },
  context: { turn: 2, list: [], map: {}, note: null, text: '' },
  children: {
    '1.a': actor({ status: 'done', value: 'succeeded', context: { attempt: 1 }, output: 0 }),
    '1.b': actor({ status: 'active', key: 'k', input: { a: 1 } }, 'runTool'),
    nameless: actor({ status: 'active' }, {}),
    gone: undefined,
  },
}

const stored = {
  status: 'active',
  value: { running: 'gate' },
  context: { turn: 2 },
  children: {
    '1.a': {
      src: 'toolCall',
      snapshot: { status: 'done', value: 'succeeded', context: {}, children: {}, output: 0 },
    },
    '1.b': { src: 'runTool', snapshot: { status: 'active', key: 'k', input: { a: 1 } } },
  },
}

test('CKP-03 keeps of an actor what cannot be put back, its output and its children', () => {
  expect(persistActor(captureActor(actor(snapshot), 'root'), defaults)).toStrictEqual(stored)
})

test.each<[string, unknown, boolean]>([
  ['the list is filled', { list: [1] }, true],
  ['an empty list stands for an empty object', { map: [] }, true],
  ['an empty object stands for an empty list', { list: {} }, true],
  ['an empty list stands for nothing', { note: [] }, true],
  ['an empty object stands for nothing', { note: {} }, true],
  ['nothing stands for an empty object', { map: null }, true],
  ['an empty text stands for 0', { turn: '' }, true],
  ['another empty list', { list: [] }, false],
  ['another empty object', { map: {} }, false],
])('CKP-03 keeps a field where %s', (_, context, isKept) => {
  const captured = captureActor(actor({ status: 'active', value: 'x', context }), 'root')
  expect(persistActor(captured, defaults).context).toEqual(isKept ? context : {})
})

test('CKP-03 puts back what was left out', () => {
  const call = stored.children['1.a'].snapshot
  expect(reviveActor(stored, 'root', defaults)).toStrictEqual({
    status: 'active',
    value: { running: 'gate' },
    historyValue: {},
    context: { ...defaults.root, turn: 2 },
    children: {
      '1.a': {
        src: 'toolCall',
        syncSnapshot: false,
        snapshot: { ...call, historyValue: {}, context: { attempt: 1 }, children: {} },
      },
      '1.b': { src: 'runTool', syncSnapshot: false, snapshot: { status: 'active', key: 'k', input: { a: 1 } } },
    },
  })
})

test.each([
  ['waiting', 'waiting'],
  [{ running: { gate: 'draining' } }, 'running'],
  [{}, ''],
])('CKP-03 the top-level state of %j is %j', (value, expected) => {
  expect(topLevelState(value)).toBe(expected)
})
