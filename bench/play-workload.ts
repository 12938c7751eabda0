import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Measured, measureWorkload } from './measure-workload.ts'
import { workloads } from './workload-table.ts'

/** What the process of one workload tells the one that started it. */
export type Told = { readonly progress: string } | { readonly results: readonly Measured[] }

const [name, rounds] = process.argv.slice(2)
const workload = workloads.find((each) => each.name === name)
if (workload === undefined || process.send === undefined) throw new Error('Start this with `npm run bench`.')
const tell = (told: Told) => process.send?.(told)

const folder = mkdtempSync(join(tmpdir(), 'statewright-bench-'))
let files = 0
const place = { freshFile: () => join(folder, `${files++}.db`) }
try {
  const played = rounds === undefined ? workload : { ...workload, rounds: Math.min(workload.rounds, Number(rounds)) }
  tell({ results: await measureWorkload(played, place, (progress) => tell({ progress })) })
} finally {
  rmSync(folder, { recursive: true, force: true })
  process.disconnect()
}
