import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, dirname, resolve } from 'node:path'
import { type Figures, figuresLine, readFigures } from './check/figures.ts'
import { type Step, steps, testReport } from './check/steps.ts'

/** What one step of the gate came to. */
export interface StepResult {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'not run'
  readonly seconds: number
}

/** Programs of node_modules/.bin start `node` by name: the newer one beside them must come first. */
const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}` }

/** Runs the steps up to the first that fails; the rest are reported as not run. */
export function runSteps(list: readonly Step[], print: (line: string) => void): readonly StepResult[] {
  const results: StepResult[] = []
  for (const step of list) {
    const hasFailed = results.some(({ state }) => state === 'failed')
    results.push(hasFailed ? { name: step.name, state: 'not run', seconds: 0 } : runStep(step, print))
  }
  const notRun = results.filter(({ state }) => state === 'not run').map(({ name }) => name)
  if (notRun.length > 0) print(`not run: ${notRun.join(', ')}`)
  return results
}

function runStep({ name, command: [program, ...parameters] }: Step, print: (line: string) => void): StepResult {
  const start = performance.now()
  const { status, stdout, stderr, error } = spawnSync(program, parameters, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env,
  })
  const seconds = Math.round((performance.now() - start) / 100) / 10
  const hasPassed = status === 0
  print(`${hasPassed ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${seconds.toFixed(1).padStart(6)} s`)
  if (!hasPassed) {
    print(`$ ${[program, ...parameters].join(' ')}`)
    print(`${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trimEnd())
  }
  return { name, state: hasPassed ? 'passed' : 'failed', seconds }
}

function testFigures(): Figures {
  return existsSync(testReport) ? readFigures(readFileSync(testReport, 'utf8')) : { passed: 0, failed: 0 }
}

if (import.meta.main) {
  mkdirSync(dirname(testReport), { recursive: true })
  rmSync(testReport, { force: true })
  const results = runSteps(steps, console.log)
  const ok = results.every(({ state }) => state === 'passed')
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0)
  console.log(`${ok ? 'the gate is open' : 'the gate is shut'}, ${seconds.toFixed(1)} s`)
  const figures = testFigures()
  console.log(figuresLine(figures))
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ok, seconds, ...figures, steps: results }))
  process.exitCode = ok ? 0 : 1
}
