import { expect, test } from 'vitest'
import { runOptionsOf } from '../../../src/core/driving/run-options.ts'
import type { Plugin } from '../../../src/index.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'

const nothing = () => {}

test('PH-01 PH-02 refuses unknown plugin members, and suggests the nearest name', () => {
  const refused = (members: unknown) => () => testAgent({ plugins: [{ name: 'p', ...(members as object) }] })
  expect(refused({ beforeTools: nothing })).toThrow(
    'Option beforeTools of plugin "p" is not known. Did you mean beforeTool?',
  )
  expect(refused({ onEror: nothing })).toThrow('is not known. Did you mean onError?')
  expect(refused({ beforeTurn: true })).toThrow('Option beforeTurn of plugin "p" is true, which is refused.')
  expect(() => testAgent({ plugins: nothing as never })).toThrow('Option plugins of createAgent')
})

test('PH-01 refuses two plugins of one name', () => {
  const plugins = [{ name: 'a', runStart: nothing }, { name: 'b' }, { name: 'a', runEnd: nothing }]
  expect(() => testAgent({ plugins })).toThrow('Two of its plugins are named "a". Expected unique names.')
})

test('PH-02 PH-04 a run stops only at moments for which a plugin has a member', () => {
  const watched = (members: Omit<Plugin, 'name'>) => runOptionsOf({ plugins: [{ name: 'p', ...members }] }).watched
  expect(watched({})).toEqual([])
  expect(watched({ beforeUpdate: nothing, afterUpdate: nothing })).toEqual([])
  expect(watched({ beforeTool: nothing })).toEqual(['gateCall'])
  expect(watched({ afterTool: nothing })).toEqual(['reviewCall'])
  expect(
    watched({ onError: nothing, afterRun: nothing, afterTurn: nothing, beforeTurn: nothing, beforeRun: nothing }),
  ).toEqual(['beforeRun', 'beforeTurn', 'afterTurn', 'onError', 'afterRun'])
})

test('PH-02 accepts class instances as plugins', () => {
  class Counting implements Plugin {
    readonly name = 'counting'
    count = 0
    onError() {
      this.count++
    }
  }
  expect(runOptionsOf({ plugins: [new Counting()] }).watched).toEqual(['onError'])
})
