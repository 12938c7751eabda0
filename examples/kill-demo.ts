import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import { journalIn, runId } from './kill-demo/clerk.ts'

const repository = resolve(import.meta.dirname, '..')
const worker = join(import.meta.dirname, 'kill-demo', 'worker.ts')
const patienceMs = 50_000

/** The end of a process, with its output. */
interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly lines: readonly string[]
}

const next = `
What to try next:
  node bin/statewright.js chat --model scripted  a chat here, without a key
  npm test                                       every transition of the charts
  examples/README.md                             programs to read and to change`

const folder = mkdtempSync(join(tmpdir(), 'kill-demo-'))
const start = performance.now()
try {
  await play()
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`\nEverything held: killed, recovered, approved, written exactly once (${seconds} s).${next}`)
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function play(): Promise<void> {
  console.log('An agent works on the files of this repository. Its model is scripted: no key.\n')
  console.log('Process 1 starts the run. It is killed while the tool writes two notes.')
  const first = await runWorker('start', (child, lines) => {
    if (lines.filter((line) => line.startsWith('inside note')).length === 2) child.kill('SIGKILL')
  })
  expect(first.signal === 'SIGKILL', `process 1 was to be killed inside its tool, and ended with ${endOf(first)}`)
  console.log('  ✝ SIGKILL')

  console.log('\nProcess 2 recovers the run. A journal tells which note is written.')
  const second = await runWorker('recover')
  expect(second.code === 0, `process 2 ended with ${endOf(second)}`)
  const interrupted = second.lines.filter((line) => line.startsWith('interrupted note'))
  expect(interrupted.length === 2, `process 2 was to find 2 interrupted notes, and found ${interrupted.length}`)
  expect(writesIn().length === 0, 'the file was written before anybody approved it')

  console.log('\nProcess 3 approves the write.')
  const third = await runWorker('approve')
  expect(third.code === 0, `process 3 ended with ${endOf(third)}`)
  await checkEnd()
}

/** Checks the result from outside: the stored run, the journal, and the file. */
async function checkEnd(): Promise<void> {
  const store = sqliteStore(join(folder, 'runs.db'))
  const { status, doneReason } = await store.record(runId)
  const calls = await store.calls(runId)
  await store.close()
  expect(status === 'done' && doneReason === 'natural_end', `the run ended as ${status}, ${doneReason ?? 'no reason'}`)
  const open = calls.filter(({ record }) => record.status !== 'succeeded' || record.result === undefined)
  expect(open.length === 0, `${open.length} calls have no result`)
  const notes = journalIn(folder)
    .lines()
    .filter(({ toolName }) => toolName === 'note')
  const keys = new Set(notes.map(({ idempotencyKey }) => idempotencyKey))
  expect(notes.length === 2 && keys.size === 2, `the journal was to hold 2 notes, and holds ${notes.length}`)
  expect(writesIn().length === 1, `the file was written ${writesIn().length} times`)
  const summary = readFileSync(join(folder, 'summary.md'), 'utf8')
  expect(summary.startsWith('# Summary of statewright'), `the summary reads ${JSON.stringify(summary)}`)
  console.log(`\nsummary.md:\n${summary.trimEnd().replaceAll(/^/gm, '  ')}`)
}

function writesIn() {
  return journalIn(folder)
    .lines()
    .filter(({ toolName }) => toolName === 'write_file')
}

async function runWorker(
  step: string,
  onLine: (child: ChildProcess, lines: readonly string[]) => void = () => {},
): Promise<Ended> {
  const child = spawn(process.execPath, [worker, step, repository, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  let isLate = false
  const timer = setTimeout(() => (isLate = child.kill('SIGTERM')), patienceMs)
  const closed = once(child, 'close')
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(`  ${line}`)
    lines.push(line)
    onLine(child, lines)
  }
  await closed
  clearTimeout(timer)
  expect(!isLate, `the process to ${step} took longer than ${patienceMs / 1_000} s; try again when less runs here`)
  return { code: child.exitCode, signal: child.signalCode, lines }
}

function endOf({ code, signal }: Ended): string {
  return signal ?? `exit code ${code}`
}

function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
