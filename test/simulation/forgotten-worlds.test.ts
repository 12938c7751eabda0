import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { setImmediate as loopTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { simulate } from '../../src/testing/simulation/simulate.ts'
import { chooseAgent, nextAgent, simulatedAgent } from '../../proof/simulation/simulated-agent.ts'

test('TST-08 nothing remains of a finished simulated world, after any kills in it', async () => {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  if (typeof gc !== 'function') throw new Error('This Node has no garbage collector to call.')
  const worlds: WeakRef<object>[] = []
  const outside = (choose: (count: number) => number) => {
    const world = chooseAgent(choose)
    worlds.push(new WeakRef(world))
    return world
  }
  await simulate(simulatedAgent, { runs: 10, seed: 1, next: nextAgent, outside })
  for (let turn = 0; turn < 5; turn++) {
    await loopTurn()
    gc()
  }
  // The last one may still be on its way out.
  expect(worlds.length).toBeGreaterThanOrEqual(10)
  expect(worlds.slice(0, -1).filter((world) => world.deref() !== undefined)).toEqual([])
})
