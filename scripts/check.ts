import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, resolve } from 'node:path'
import { type Figures, figuresLine, readFigures } from './check/figures.ts'
import { type Step, steps, testReport } from './check/steps.ts'

/** The result of one step of the gate. */
export interface StepResult {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'not run'
  readonly seconds: number
}

/** Programs in node_modules/.bin start `node` by name, so the newer one next to them must come first. */
const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}` }

/**
 * Runs the steps in order, at most `width` in parallel, until the first failure; the others are reported as not run. On a
 * small machine one more than there are cores: while a step waits for a program, another has its core.
 */
export async function runSteps(
  list: readonly Step[],
  print: (line: string) => void,
  width = Math.max(3, availableParallelism()),
): Promise<readonly StepResult[]> {
  const results = new Map<Step, StepResult>()
  const running = new Set<Promise<void>>()
  const hasFailed = () => [...results.values()].some(({ state }) => state === 'failed')
  for (const step of list) {
    const most = step.isAlone === true ? 0 : width - 1
    while (running.size > most) await Promise.race(running)
    if (hasFailed()) break
    const run = runStep(step, print).then((result) => {
      results.set(step, result)
      running.delete(run)
    })
    running.add(run)
    if (step.isAlone === true) await run
  }
  await Promise.all(running)
  const notRun = list.filter((step) => !results.has(step)).map(({ name }) => name)
  if (notRun.length > 0) print(`not run: ${notRun.join(', ')}`)
  return list.map((step) => results.get(step) ?? { name: step.name, state: 'not run', seconds: 0 })
}

async function runStep({ name, command }: Step, print: (line: string) => void): Promise<StepResult> {
  const start = performance.now()
  const { hasPassed, said } = await runCommand(command)
  const seconds = Math.round((performance.now() - start) / 100) / 10
  print(`${hasPassed ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${seconds.toFixed(1).padStart(6)} s`)
  if (!hasPassed) print(`$ ${command.join(' ')}\n${said.trimEnd()}`)
  return { name, state: hasPassed ? 'passed' : 'failed', seconds }
}

function runCommand([program, ...parameters]: Step['command']): Promise<{ hasPassed: boolean; said: string }> {
  return new Promise((settle) => {
    execFile(program, parameters, { encoding: 'utf8', maxBuffer: 2 ** 28, env }, (error, stdout, stderr) => {
      const missing = error !== null && typeof error.code === 'string' ? error.message : ''
      settle({ hasPassed: error === null, said: `${stdout}${stderr}${missing}` })
    })
  })
}

function testFigures(): Figures {
  return existsSync(testReport) ? readFigures(readFileSync(testReport, 'utf8')) : { passed: 0, failed: 0 }
}

if (import.meta.main) {
  mkdirSync(dirname(testReport), { recursive: true })
  rmSync(testReport, { force: true })
  const start = performance.now()
  const results = await runSteps(steps, console.log)
  const ok = results.every(({ state }) => state === 'passed')
  const seconds = Math.round((performance.now() - start) / 100) / 10
  console.log(`${ok ? 'the gate is open' : 'the gate is shut'}, ${seconds.toFixed(1)} s`)
  const figures = testFigures()
  console.log(figuresLine(figures))
  if (process.argv.includes('--json')) console.log(JSON.stringify({ ok, seconds, ...figures, steps: results }))
  process.exitCode = ok ? 0 : 1
}
