import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Told } from './subject-process.ts'
import { workloads } from './workload-table.ts'

/** What the process of one subject is asked to measure. */
export interface Asked {
  readonly variant: string
  readonly size: number
}

const [name, subject = ''] = process.argv.slice(2)
const workload = workloads.find((each) => each.name === name)
if (workload === undefined || process.send === undefined) throw new Error('Start this with `npm run bench`.')
const { variants } = workload

const folder = mkdtempSync(join(tmpdir(), 'statewright-bench-'))
let files = 0
const place = { freshFile: () => join(folder, `${files++}.db`) }

process.on('message', ({ variant, size }: Asked) => {
  void measure(variant, size)
    .then((figure): Told => ({ figure }))
    .catch((error: unknown): Told => ({ failure: error instanceof Error ? error.message : String(error) }))
    .then((told) => process.send?.(told))
})
process.once('disconnect', () => {
  rmSync(folder, { recursive: true, force: true })
  process.exit()
})
process.send({ figure: undefined } satisfies Told)

async function measure(variant: string, size: number): Promise<number> {
  const take = variants.find((each) => each.name === variant)?.subjects[subject]
  if (take === undefined) throw new Error(`${name} ${variant} is not played by ${subject}.`)
  return take(size, place)
}
