import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkLimits } from './limits.ts'
import { type BenchResult, median, printResults } from './report.ts'
import { agentTurns } from './agent-turns.ts'
import { bareAppend, bareBytes } from './bare-append.ts'
import { interpreterTurns } from './interpreter-turns.ts'
import { handWrittenLoop } from './hand-written-loop.ts'
import { walBytes } from './wal-bytes.ts'

const sizes = [10, 50, 200]
const isJson = process.argv.includes('--json')
const folder = mkdtempSync(join(tmpdir(), 'statewright-bench-'))
let files = 0
const freshFile = () => join(folder, `${files++}.db`)

/** Subjects of one round are timed one after the other, so that a drifting machine moves them together. */
const subjects = {
  loop: (turns: number) => handWrittenLoop(turns),
  interpreter: (turns: number) => interpreterTurns(turns),
  memory: (turns: number) => agentTurns(turns, { store: 'memory' }),
  'append full': (turns: number) => bareAppend(freshFile(), turns, 'full'),
  'append normal': (turns: number) => bareAppend(freshFile(), turns, 'normal'),
  'sqlite full': (turns: number) => agentTurns(turns, { store: 'sqlite', path: freshFile(), synchronous: 'full' }),
  'sqlite normal': (turns: number) => agentTurns(turns, { store: 'sqlite', path: freshFile(), synchronous: 'normal' }),
}

type Subject = keyof typeof subjects

const floors: Partial<Record<Subject, Subject>> = {
  interpreter: 'loop',
  memory: 'loop',
  'sqlite full': 'append full',
  'sqlite normal': 'append normal',
}

try {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}`
  const results = [...(await timeAll()), ...(await countBytes())]
  const checked = checkLimits(results)
  printResults({ machine, results, limits: checked }, isJson)
  process.exitCode = checked.every(({ holds }) => holds) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function timeAll(): Promise<readonly BenchResult[]> {
  const rounds = Number(process.env['BENCH_ROUNDS'] ?? 9)
  const times = new Map<string, number[]>()
  const ratios = new Map<string, number[]>()
  await warmUp()
  for (let round = 0; round < rounds; round++) {
    for (const size of sizes) {
      const inRound = new Map<Subject, number>()
      for (const subject of Object.keys(subjects) as Subject[]) inRound.set(subject, await subjects[subject](size))
      for (const [subject, time] of inRound) {
        push(times, `${subject}|${size}`, time)
        const floor = floors[subject]
        if (floor !== undefined) push(ratios, `${subject}|${size}`, time / (inRound.get(floor) ?? Number.NaN))
      }
    }
  }
  return [...times].map(([key, values]) => {
    const [subject = '', size] = key.split('|')
    const ratio = ratios.get(key)
    return {
      workload: 'µs per turn with one call',
      size: Number(size),
      variant: subject.endsWith('normal') ? 'normal' : subject.endsWith('full') ? 'full' : 'memory',
      subject,
      median: median(values),
      floorRatio: ratio === undefined ? 1 : median(ratio),
    }
  })
}

/** The compiler goes on optimising for some ten thousand turns. */
async function warmUp(): Promise<void> {
  const warming = ['loop', 'interpreter', 'memory', 'append normal', 'sqlite normal'] as const
  for (let run = 0; run < 60; run++) for (const subject of warming) await subjects[subject](200)
}

async function countBytes(): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = []
  for (const size of sizes) {
    const bare = await bareBytes(freshFile(), size)
    const ours = await walBytes(freshFile(), size)
    const common = { workload: 'bytes written', size, variant: 'wal' }
    results.push({ ...common, subject: 'append', median: bare, floorRatio: 1 })
    results.push({ ...common, subject: 'sqlite', median: ours, floorRatio: ours / bare })
  }
  return results
}

function push(table: Map<string, number[]>, key: string, value: number): void {
  const values = table.get(key) ?? []
  values.push(value)
  table.set(key, values)
}
