import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importTimes } from './budget/import-times.ts'
import { installPacked } from './budget/install-packed.ts'
import { type BudgetLimit, limits } from './budget/limits.ts'
import { measureSizes } from './budget/measure-sizes.ts'
import { typeCheckRatio } from './budget/type-check-ratio.ts'
import { factsOf } from '../proof/support/limit-facts.ts'
import { parseFlags } from '../proof/support/parse-flags.ts'

/** One item of the budget. */
interface Item {
  readonly name: string
  readonly value: number
  readonly limit: number
  readonly asked: number
}

const flags = parseFlags('budget', {}, ['sizes', 'import'])
const isAll = !flags.sizes && !flags.import
const folder = mkdtempSync(join(tmpdir(), 'budget-'))
try {
  const items = await measureAll()
  const over = items.filter(({ value, limit }) => !(value <= limit))
  console.log(over.length === 0 ? 'every item holds' : `over the limit: ${over.map(({ name }) => name).join('; ')}`)
  if (flags.json) console.log(JSON.stringify({ items }))
  process.exitCode = over.length === 0 ? 0 : 1
} catch (error) {
  console.error(`The budget could not be measured: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measureAll(): Promise<readonly Item[]> {
  const project = await installPacked(folder)
  const items: Item[] = []
  const add = ({ name, kind, limit, asked, reason }: BudgetLimit, measured: number) => {
    const item = { name, value: Math.round(measured * 100) / 100, limit, asked }
    items.push(item)
    const holds = item.value <= limit
    const line = `${holds ? 'ok    ' : 'OVER  '} ${name.padEnd(42)}${item.value.toFixed(2).padStart(9)}  limit ${limit}`
    const facts = factsOf({ ...item, isCount: kind === 'size', holds })
    console.log([`${line}, asked ${asked}`, ...facts, ...(holds ? [] : [reason])].join('; '))
  }
  if (isAll || flags.sizes) for (const [limit, measured] of await measureSizes(project, folder)) add(limit, measured)
  if (isAll || flags.import) {
    const { ratio, beyond } = importTimes(project)
    add(limits.importRatio, ratio)
    add(limits.importTime, beyond)
  }
  if (isAll) add(limits.types, typeCheckRatio(project))
  return items
}
