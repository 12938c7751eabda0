import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleSize } from './budget/bundle-size.ts'
import { bytesAtRest } from './budget/bytes-at-rest.ts'
import { importRatio } from './budget/import-ratio.ts'
import { installPacked } from './budget/install-packed.ts'
import { installedSize } from './budget/installed-size.ts'
import { typeCheckRatio } from './budget/type-check-ratio.ts'
import { parseFlags } from '../proof/support/parse-flags.ts'

/**
 * What each item may come to: a tenth to a fifth more than was measured, but for import and type-check, whose limits are
 * promises. The bundle has grown by tables for the charts, checks of every option, and toolsets: 228 kB, 70 gzipped.
 */
const limits = {
  'import time, of an empty process': 3,
  'install size with dependencies, kB': 11_500,
  'type-check of 60 tools, of bare schemas': 1.5,
  'bundle, minified, kB': 270,
  'bundle, gzipped, kB': 84,
  'bytes at rest of 50 turns, of their JSON': 3.2,
} as const

/** One item of the budget. */
interface Item {
  readonly name: keyof typeof limits
  readonly value: number
  readonly limit: number
}

const { json } = parseFlags('budget', {})
const folder = mkdtempSync(join(tmpdir(), 'budget-'))
try {
  const items = await measureAll()
  const over = items.filter(({ value, limit }) => !(value <= limit))
  console.log(over.length === 0 ? 'every item holds' : `over the limit: ${over.map(({ name }) => name).join('; ')}`)
  if (json) console.log(JSON.stringify({ items }))
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
  const add = (name: keyof typeof limits, measured: number) => {
    const item = { name, value: Math.round(measured * 100) / 100, limit: limits[name] }
    items.push(item)
    const mark = item.value <= item.limit ? 'ok    ' : 'OVER  '
    console.log(`${mark} ${name.padEnd(42)}${item.value.toFixed(2).padStart(9)}  limit ${item.limit}`)
  }
  // Before anything else is written into the project.
  add('install size with dependencies, kB', installedSize(project))
  const { minified, gzipped } = bundleSize(project)
  add('bundle, minified, kB', minified)
  add('bundle, gzipped, kB', gzipped)
  add('bytes at rest of 50 turns, of their JSON', await bytesAtRest(folder))
  add('import time, of an empty process', importRatio(project))
  add('type-check of 60 tools, of bare schemas', typeCheckRatio(project))
  return items
}
