import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timeOf } from '../stopwatch.ts'
import type { Told } from '../subject-process.ts'
import { bundledSubject } from './bundle-subjects.ts'
import { processTime } from './process-time.ts'
import { made, type Plan } from './script.ts'
import type { Subject } from './subject.ts'

/** What the process of one subject is asked to measure. */
export interface Asked {
  readonly workload: string
  readonly size: number
}

const [name = ''] = process.argv.slice(2)
const { subject }: { subject: Subject } = await import(`./subjects/${name}.ts`)
const folder = mkdtempSync(join(tmpdir(), 'statewright-peers-'))
let files = 0

process.on('message', ({ workload, size }: Asked) => {
  measure(workload, size)
    .then((figure): Told => ({ figure }))
    .catch((error: unknown): Told => ({ failure: error instanceof Error ? error.message : String(error) }))
    .then((told) => process.send?.(told))
})
process.once('disconnect', () => {
  rmSync(folder, { recursive: true, force: true })
  process.exit()
})
process.send?.({ figure: undefined })

async function measure(workload: string, size: number): Promise<number | undefined> {
  switch (workload) {
    case 'turns':
      return (await timed({ turns: size, calls: 1 }, 1, subject.run)) / size
    case 'parallel':
      return (await timed({ turns: 1, calls: size }, 1, subject.run)) / size
    case 'atOnce': {
      const plan = { turns: 5, calls: 1 }
      const all = () => Promise.all(Array.from({ length: size }, () => subject.run(plan)))
      return (await timed(plan, size, all)) / (size * plan.turns)
    }
    case 'deltas':
      return (await timeOf('processor', () => subject.deltas(size))) / size
    case 'durable':
      return durable(size)
    case 'resume':
      return subject.resume?.(size, freshFile())
    case 'freshProcess':
      return goOnInFreshProcess(size)
    default:
      throw new Error(`No workload is named ${workload}.`)
  }
}

async function durable(turns: number): Promise<number | undefined> {
  const runs = await subject.openDurable?.(freshFile())
  if (runs === undefined) return undefined
  const time = await timed({ turns, calls: 1 }, 1, runs.run)
  await runs.close()
  return time / turns
}

/** Microseconds of a process that loads the framework, approves a run that waits, and drives it to its end. */
async function goOnInFreshProcess(messages: number): Promise<number | undefined> {
  if (subject.suspend === undefined || subject.goOn === undefined) return undefined
  const path = freshFile()
  await subject.suspend(messages, path)
  const from = JSON.stringify(bundledSubject(name))
  return 1000 * processTime(`const { subject } = await import(${from}); await subject.goOn(${JSON.stringify(path)})`)
}

/** Microseconds of processor time, once every call of the plan was made. */
async function timed(plan: Plan, runs: number, play: (plan: Plan) => Promise<unknown>): Promise<number> {
  const before = made.calls
  const time = await timeOf('processor', async () => {
    await play(plan)
  })
  const planned = plan.turns * plan.calls * runs
  if (made.calls - before !== planned) throw new Error(`${made.calls - before} calls were made of ${planned}.`)
  return time
}

function freshFile(): string {
  return join(folder, `${files++}.db`)
}
