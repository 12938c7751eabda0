import { expect, test } from 'vitest'
import { runOptionsOf } from '../../../src/core/driving/run-options.ts'
import type { Hooks } from '../../../src/index.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'

const nothing = () => {}

test('PH-02 refuses hooks that no run calls, naming the nearest', () => {
  const refused = (hooks: unknown) => () => testAgent({ hooks: hooks as Hooks })
  expect(refused({ beforeToolExecute: nothing })).toThrow(
    'Option hooks.beforeToolExecute of createAgent is not known. Did you mean beforeToolExecution?',
  )
  expect(refused({ onEror: nothing })).toThrow('is not known. Did you mean onError?')
  expect(refused({ beforeTurn: true })).toThrow('Option hooks.beforeTurn of createAgent is true, which is refused.')
  expect(refused([nothing])).toThrow('Option hooks of createAgent')
  expect(refused(nothing)).toThrow('Option hooks of createAgent')
})

test('PH-02 PH-04 stops where a hook is given, and nowhere else', () => {
  const watched = (hooks: Hooks) => runOptionsOf({ hooks }).watched
  expect(watched({})).toEqual([])
  expect(watched({ beforeToolExecutionUpdate: nothing, afterToolExecutionUpdate: nothing })).toEqual([])
  expect(watched({ beforeToolExecution: nothing })).toEqual(['beforeToolExecute'])
  expect(watched({ afterToolExecution: nothing })).toEqual(['afterToolExecute'])
  expect(
    watched({ onError: nothing, afterLoop: nothing, afterTurn: nothing, beforeTurn: nothing, beforeLoop: nothing }),
  ).toEqual(['beforeLoop', 'beforeTurn', 'afterTurn', 'afterLoop', 'onError'])
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
