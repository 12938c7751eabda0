import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  assign,
  createActor,
  createMachine,
  enqueueActions,
  fromPromise,
  type InspectionEvent,
  raise,
  sendTo,
  spawnChild,
  stopChild,
} from 'xstate'
import {
  type ActionLogic,
  type Machine,
  type MachineSnapshot,
  inlineActor,
  xstateActions,
  xstateEvents,
} from '../../../src/core/step/xstate-parts.ts'
import { listsOf, statesOf } from '../../../src/testing/charts/chart-config.ts'
import { chartNames, configOf } from '../../../src/testing/charts/machines-under-test.ts'

/** A machine in which every part the step reads stands once. */
const real = createMachine({
  id: 'real',
  context: { count: 0 },
  initial: 'a',
  options: { maxIterations: 9 },
  states: {
    a: {
      tags: 'first',
      entry: 'note',
      exit: 'note',
      invoke: { src: 'work', id: 'work', input: 1 },
      always: { guard: 'never', target: 'b' },
      on: { go: { target: 'b', actions: { type: 'note', params: 1 } } },
    },
    b: { type: 'final', output: 1 },
  },
}).provide({
  actors: { work: fromPromise(async () => 1) },
  actions: { note: () => {} },
  guards: { never: () => false },
})

const machine = real as unknown as Machine

function node(key: string) {
  const found = machine.root.states[key]
  if (found === undefined) throw new Error(`No state ${key}.`)
  return found
}

describe('RUN-09 the parts of XState', () => {
  test('RUN-09 a machine of XState has the fields that the step reads', () => {
    expect(machine).toMatchObject({ id: 'real', config: { context: { count: 0 } }, options: { maxIterations: 9 } })
    const { actors, actions, guards } = machine.implementations
    expect([Object.keys(actors), Object.keys(actions), Object.keys(guards)]).toEqual([['work'], ['note'], ['never']])
    expect(machine.getTransitionData({ machine, value: 'a', context: {} }, { type: 'go' })).toHaveLength(1)
  })

  test('RUN-09 a state of XState has the fields that the step reads', () => {
    const { id, key, type, order, parent, states, entry, exit, invoke, transitions, always, tags, initial } = node('a')
    expect([id, key, type, order, parent, states, tags]).toEqual([
      'real.a',
      'a',
      'atomic',
      1,
      machine.root,
      {},
      ['first'],
    ])
    expect([entry, exit, initial.actions]).toEqual([['note'], ['note'], []])
    expect(invoke).toMatchObject([{ id: 'work', src: 'work', input: 1 }])
    expect([...transitions.keys()]).toEqual(['go'])
    expect(always).toHaveLength(1)
    expect([machine.root.type, machine.root.initial.target, node('b').type, node('b').output]).toEqual([
      'compound',
      [node('a')],
      'final',
      1,
    ])
  })

  test('RUN-09 a transition of XState has the fields that the step reads', () => {
    const [taken] = node('a').transitions.get('go') ?? []
    expect(taken).toMatchObject({ reenter: false, actions: [{ type: 'note', params: 1 }] })
    expect([taken?.source, taken?.target, taken?.guard]).toEqual([node('a'), [node('b')], undefined])
    expect(node('a').always?.[0]?.guard).toBe('never')
  })

  const actions: readonly (readonly [keyof typeof xstateActions, unknown, readonly (keyof ActionLogic)[]])[] = [
    ['assign', assign({ count: 1 }), ['assignment']],
    ['enqueueActions', enqueueActions(() => {}), []],
    ['raise', raise({ type: 'go' }), ['event', 'id', 'delay']],
    ['sendTo', sendTo('work', { type: 'go' }), ['to', 'event', 'id', 'delay']],
    ['spawnChild', spawnChild('work' as never, { id: 'w' }), ['src', 'id', 'input', 'systemId', 'syncSnapshot']],
    ['stopChild', stopChild('work'), ['actorRef']],
  ]

  test.each(actions)('RUN-09 the action %s of XState has the fields that the step reads', (name, action, fields) => {
    const logic = action as ActionLogic
    expect([logic.type, typeof logic.resolve]).toEqual([xstateActions[name], 'function'])
    for (const field of fields) expect(Object.hasOwn(logic, field)).toBe(true)
  })

  test('RUN-09 enqueued actions come third', () => {
    const logic = enqueueActions(({ enqueue }) => enqueue('note')) as unknown as ActionLogic
    const args = { context: {}, event: { type: 'go' }, self: {}, system: {} }
    expect(logic.resolve?.(args, { machine, context: {} }, args, undefined, logic, {})[2]).toEqual(['note'])
  })

  test('RUN-09 a snapshot has these fields in this order', () => {
    const snapshot: MachineSnapshot = machine.resolveState({ value: 'a', context: {} })
    const expected = 'status output error machine context _nodes value tags children historyValue'
    expect(Object.keys(snapshot).join(' ')).toBe(`${expected} matches hasTag can getMeta toJSON`)
  })

  test("RUN-09 the events of XState's actors have these types", async () => {
    const seen: string[] = []
    const child = createMachine({ initial: 'on', states: { on: { on: { end: 'off' } }, off: { type: 'final' } } })
    const parent = createMachine({
      id: 'parent',
      initial: 'a',
      states: {
        a: {
          initial: 'within',
          states: { within: {} },
          invoke: [
            { src: child, id: 'child' },
            { src: fromPromise(() => Promise.reject(new Error('No.'))), id: 'failing' },
          ],
          on: { end: { actions: sendTo('child', { type: 'end' }) } },
        },
      },
    })
    const inspect = (event: InspectionEvent) => {
      if ('event' in event && event.type !== '@xstate.microstep') seen.push(event.event.type)
    }
    const actor = createActor(parent, { inspect })
    actor.subscribe({ error: () => {} })
    actor.start()
    actor.send({ type: 'end' })
    await new Promise((resolve) => setImmediate(resolve))
    const { init, doneActor, errorActor } = xstateEvents
    expect(seen).toEqual(expect.arrayContaining([init, `${doneActor}child`, `${errorActor}failing`]))
    const invoked = (parent as unknown as Machine).root.states['a']?.invoke.map(({ src }) => src)
    expect(invoked?.every((src) => src.startsWith(inlineActor))).toBe(true)
  })
})

test.each(chartNames)('RUN-09 the chart %s has no delayed transition and no event pattern', (name) => {
  const states = statesOf(configOf(name))
  expect(states.length).toBeGreaterThan(1)
  expect(states.filter(({ state }) => Object.hasOwn(state, 'after')).map(({ path }) => path)).toEqual([])
  const events = states.flatMap(({ state }) => listsOf(state).map(({ event }) => event))
  expect(events.filter((event) => event.includes('*'))).toEqual([])
})

test('RUN-09 package.json allows one minor version of XState', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(dependencies.xstate).toMatch(/^~\d+\.\d+\.\d+$/)
})
