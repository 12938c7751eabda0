import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TreeCopy } from '../mutants-source/copy-tree.ts'
import { TestProcess } from '../mutants-source/test-process.ts'
import { isTestFile, planted, type PlantedFault } from './planted-fault.ts'

/** The verdict of a check: `by` names the test or the line that reports the failure. */
export type CheckEnd =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly by: string }
  /** The check reached no verdict: it did not end in time, or nothing could be loaded. */
  | { readonly kind: 'lost'; readonly why: string }

/** A check without an end after this many milliseconds has judged nothing. */
const bound = 300_000

/** Plants faults in a copy of the tree, one at a time, and runs their checks there. */
export class FaultPlayer {
  readonly #copy: TreeCopy
  readonly #process: TestProcess

  constructor(copy: TreeCopy) {
    this.#copy = copy
    this.#process = new TestProcess(copy)
  }

  /** Runs the check of a fault with the fault in its place; the copy is as before afterwards. */
  async play(fault: PlantedFault): Promise<CheckEnd> {
    const path = join(this.#copy.root, fault.file)
    const original = readFileSync(path, 'utf8')
    const text = planted(fault, original)
    if (text === undefined) return { kind: 'lost', why: `its place does not stand exactly once in ${fault.file}` }
    writeFileSync(path, text)
    try {
      return await this.check(fault.check)
    } finally {
      writeFileSync(path, original)
    }
  }

  /** Runs a check on the copy as it is. */
  async check(check: string): Promise<CheckEnd> {
    return isTestFile(check) ? await this.#runTests(check) : this.#runScript(check)
  }

  /** Ends the process of the tests. */
  stop(): void {
    this.#process.stop()
  }

  /** Only a test that fails has noticed something: a file that cannot be loaded would tell of any fault. */
  async #runTests(file: string): Promise<CheckEnd> {
    const outcome = await this.#process.run({ files: [file], mode: 'alone' }, bound)
    if ('lost' in outcome) return { kind: 'lost', why: outcome.lost }
    if (outcome.failure === undefined) return { kind: 'passed' }
    const { test, isNoTest } = outcome.failure
    return isNoTest === true
      ? { kind: 'lost', why: `${file} fails, and no test in it: ${test}` }
      : { kind: 'failed', by: test }
  }

  #runScript(name: string): CheckEnd {
    const { root } = this.#copy
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', name], {
      cwd: root,
      encoding: 'utf8',
      timeout: bound,
      maxBuffer: 2 ** 28,
    })
    if (status === 0) return { kind: 'passed' }
    if (status === null) return { kind: 'lost', why: `npm run ${name} did not end by itself` }
    const said = [stderr, stdout].flatMap((text) => text.split('\n')).find((line) => line.trim() !== '')
    return { kind: 'failed', by: said ?? `exit code ${status}` }
  }
}
