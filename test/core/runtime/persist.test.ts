import { expect, test } from 'vitest'
import { persistActor, reviveActor, topLevelState } from '../../../src/core/runtime/persist.ts'
import type { ActorState, MachineState } from '../../../src/core/step/actor-state.ts'

const child = (snapshot: ActorState, src = 'toolCall') => ({ src, syncSnapshot: false as const, snapshot })
const nothing = { output: undefined, error: undefined }

const defaults = {
  root: { turn: 0, list: [], map: {}, note: null, text: '' },
  toolCall: { attempt: 1 },
}

const called: MachineState = {
  ...nothing,
  status: 'done',
  value: 'succeeded',
  historyValue: {},
  context: { attempt: 1 },
  children: {},
  output: 0,
}

const state: MachineState = {
  ...nothing,
  status: 'active',
  value: { running: 'gate' },
  historyValue: {},
  context: { turn: 2, list: [], map: {}, note: null, text: '' },
  children: {
    '1.a': child(called),
    '1.b': child({ ...nothing, status: 'active', key: 'k', input: { a: 1 } }, 'runTool'),
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

test('CKP-03 stores the parts of an actor that cannot be derived: its output and its children', () => {
  expect(persistActor('root', state, defaults)).toStrictEqual(stored)
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
])('CKP-03 keeps a field when %s', (_, context, isKept) => {
  expect(persistActor('root', { ...state, context: context as object, children: {} }, defaults).context).toEqual(
    isKept ? context : {},
  )
})

test('CKP-03 restores the parts that were left out', () => {
  expect(reviveActor(stored, 'root', defaults)).toStrictEqual({
    ...state,
    context: { ...defaults.root, turn: 2 },
  })
})

test.each([
  ['waiting', 'waiting'],
  [{ running: { gate: 'draining' } }, 'running'],
  [{}, ''],
])('CKP-03 the top-level state of %j is %j', (value, expected) => {
  expect(topLevelState(value)).toBe(expected)
})
