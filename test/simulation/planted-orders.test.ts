import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planted } from '../../proof/laws/planted-fault.ts'
import { root } from '../../proof/mutants-source/all-mutants.ts'
import { plantedOrders } from '../../proof/simulation/planted-orders.ts'

test('TST-08 each fault planted for the simulation has exactly one place in the sources', () => {
  const lost = plantedOrders.filter(
    (order) => planted(order, readFileSync(join(root, order.file), 'utf8')) === undefined,
  )
  expect(lost.map(({ bends }) => bends)).toEqual([])
})
