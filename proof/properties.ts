import { availableParallelism } from 'node:os'
import { parseFlags } from './support/parse-flags.ts'
import { type Checked, checkSequences } from './properties/check-sequences.ts'
import { readReplay } from './properties/read-replay.ts'
import { splitWork } from './properties/split-work.ts'

const replay = readReplay(process.env, { runs: 100_000, seed: Date.now() % 2 ** 31 })
const { runs, seed, json } = parseFlags('properties', { runs: replay.runs, seed: replay.seed })
const start = performance.now()
const isTerminal = process.stdout.isTTY
console.log(`seed ${seed}`)

const { runs: done, failures } = await checkAll()
const [failure] = failures
if (failure?.counterexample !== undefined) {
  const { path, sequence, fault } = failure.counterexample
  console.log(`\n${sequence}\n${fault}\n`)
  console.log(`Play it again: PROPERTIES_SEED=${failure.seed} PROPERTIES_PATH=${path} npm run properties`)
}
const seconds = Math.round((performance.now() - start) / 100) / 10
console.log(`${isTerminal ? '\r' : ''}${done} sequences, ${failures.length} failed (${seconds} s)`)
if (json) {
  const found = failure?.counterexample
  const counterexample = found === undefined ? {} : { counterexample: { seed: failure?.seed, ...found } }
  console.log(JSON.stringify({ sequences: done, seed, failed: failures.length, ...counterexample, seconds }))
}
process.exitCode = failures.length === 0 && (done > 0 || runs === 0) ? 0 : 1

async function checkAll(): Promise<{ readonly runs: number; readonly failures: readonly Checked[] }> {
  if (replay.path !== undefined) {
    const checked = await checkSequences({ runs, seed, path: replay.path })
    return { runs: checked.runs, failures: checked.failed ? [checked] : [] }
  }
  return splitWork({ runs, seed }, availableParallelism(), (progress) => {
    if (isTerminal) process.stdout.write(`\r${progress} of ${runs} sequences`)
  })
}
