import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { planted } from '../laws/planted-fault.ts'
import { root } from '../mutants-source/all-mutants.ts'
import { copyTree, removeTree, type TreeCopy } from '../mutants-source/copy-tree.ts'
import { type PlantedOrder, plantedOrders } from './planted-orders.ts'

/** Seeds within which a planted fault has to be found. */
const mostSeeds = 1000

/**
 * Plants faults of order in a copy of the tree, one at a time, and lets the simulation look for each; with a number, that
 * one of them alone, counted from 1.
 */
export async function plantOrders(number: number): Promise<{
  readonly planted: number
  readonly found: number
  readonly missed: readonly string[]
}> {
  const copy = copyTree(root)
  const missed: string[] = []
  const chosen = number === 0 ? plantedOrders : plantedOrders.slice(number - 1, number)
  try {
    for (const order of chosen) {
      const story = findOrder(copy, order)
      console.log(`${story === undefined ? 'MISSED' : 'found'}: ${order.bends} (${order.mendedBy ?? 'never had'})`)
      for (const line of story ?? []) console.log(`  ${line}`)
      if (story === undefined) missed.push(order.bends)
    }
  } finally {
    removeTree(copy)
  }
  return { planted: chosen.length, found: chosen.length - missed.length, missed }
}

/** The story of the first failure with the fault in its place; undefined if there is none. */
function findOrder(copy: TreeCopy, order: PlantedOrder): readonly string[] | undefined {
  const path = join(copy.root, order.file)
  const original = readFileSync(path, 'utf8')
  const text = planted(order, original)
  if (text === undefined) throw new Error(`The place of "${order.bends}" does not stand exactly once in ${order.file}.`)
  writeFileSync(path, text)
  try {
    const given = ['proof/simulate.ts', '--runs', String(mostSeeds), '--first', '--threads', '1', '--json']
    const { stdout, stderr } = spawnSync(process.execPath, given, {
      cwd: copy.root,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    })
    const last = stdout.trimEnd().split('\n').at(-1) ?? ''
    if (last === '') throw new Error(`The simulation with the fault "${order.bends}" gave no report:\n${stderr}`)
    const report: unknown = JSON.parse(last)
    return storyIn(report)
  } finally {
    writeFileSync(path, original)
  }
}

function storyIn(report: unknown): readonly string[] | undefined {
  const [first] = (
    report as {
      readonly found: readonly { readonly seed: number; readonly story: readonly string[] }[]
    }
  ).found
  return first && [`seed ${first.seed}`, ...first.story]
}
