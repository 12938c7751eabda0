import { expect, test } from 'vitest'
import { runOptionsOf } from '../../../src/core/driving/run-options.ts'
import type { Hooks } from '../../../src/index.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'

const nothing = () => {}

test('PH-02 refuses hooks that no run calls, naming the nearest', () => {
  const refused = (hooks: unknown) => () => testAgent({ hooks: hooks as Hooks })
  expect(refused({ gateCall: nothing })).toThrow(
    'Option hooks.gateCall of createAgent is not known. Did you mean beforeTool?',
  )
  expect(refused({ onEror: nothing })).toThrow('is not known. Did you mean onError?')
  expect(refused({ beforeTurn: true })).toThrow('Option hooks.beforeTurn of createAgent is true, which is refused.')
  expect(refused([nothing])).toThrow('Option hooks of createAgent')
  expect(refused(nothing)).toThrow('Option hooks of createAgent')
})

test('PH-02 PH-04 stops where a hook is given, and nowhere else', () => {
  const watched = (hooks: Hooks) => runOptionsOf({ hooks }).watched
  expect(watched({})).toEqual([])
  expect(watched({ beforeUpdate: nothing, afterUpdate: nothing })).toEqual([])
  expect(watched({ beforeTool: nothing })).toEqual(['gateCall'])
  expect(watched({ afterTool: nothing })).toEqual(['reviewCall'])
  expect(
    watched({ onError: nothing, afterRun: nothing, afterTurn: nothing, beforeTurn: nothing, beforeRun: nothing }),
  ).toEqual(['beforeRun', 'beforeTurn', 'afterTurn', 'afterRun', 'onError'])
})

test('PH-02 takes hooks that are an object of a class', () => {
  class Counting implements Hooks {
    count = 0
    onError() {
      this.count++
    }
  }
  expect(runOptionsOf({ hooks: new Counting() }).watched).toEqual(['onError'])
})
