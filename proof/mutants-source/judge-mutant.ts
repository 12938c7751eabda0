import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TreeCopy } from './copy-tree.ts'
import type { CoveringTest } from './coverage-cache.ts'
import type { SourceMutant } from './list-mutants.ts'
import type { TestFailure } from './test-host.ts'
import { TestProcess } from './test-process.ts'
import type { TypeCheck } from './type-check.ts'

/**
 * The outcome of a mutant; `by` names the test that noticed it, `untried` lists the covering test files that were not
 * run.
 */
export type Verdict =
  | { readonly kind: 'uncompiled' }
  | { readonly kind: 'killed'; readonly file: string; readonly by: string }
  | { readonly kind: 'survived'; readonly tried: number; readonly untried: readonly string[] }

/** Which test files enter a place of a source file. */
export interface Coverage {
  covering(source: string, offset: number): readonly CoveringTest[]
}

/** Milliseconds before tests count as hanging, by those they take alone and unmutated; together they take less. */
const boundOf = (milliseconds: number, mode: 'alone' | 'together') => 20_000 + (mode === 'alone' ? 3 : 1) * milliseconds

/** Milliseconds under which test files share a thread: most of what such a file takes is loading modules. */
const light = 2500

/** Judges mutants one after the other: types first, then the tests that cover the place, nearest and fastest first. */
export class Judge {
  readonly #copy: TreeCopy
  readonly #types: TypeCheck
  readonly #coverage: Coverage
  readonly #patience: number
  readonly #process: TestProcess
  /** The number of mutants of a source file that a test file has killed, by both names. */
  readonly #kills = new Map<string, number>()

  /** `patience`: milliseconds, unmutated, of the tests that one mutant is tried on. */
  constructor(parts: { copy: TreeCopy; types: TypeCheck; coverage: Coverage; patience: number }) {
    this.#copy = parts.copy
    this.#types = parts.types
    this.#coverage = parts.coverage
    this.#patience = parts.patience
    this.#process = new TestProcess(parts.copy)
  }

  /** Refuses to judge where tests fail before anything is changed: every mutant would count as killed. */
  async checkUnchanged(source: string): Promise<void> {
    const [test] = this.#order({ file: source, offset: 0 })
    const failure = test === undefined ? undefined : await failureOf(this.#process, [test], 'alone')
    if (failure !== undefined) throw new Error(`Nothing is changed, and ${failure.file} fails: ${failure.test}`)
  }

  /** Judges one mutant, on the test files `isWanted` names; the copy is as before afterwards. */
  async judge(mutant: SourceMutant, isWanted: (test: CoveringTest) => boolean = () => true): Promise<Verdict> {
    const text = mutant.build()
    if (!this.#types.compiles(mutant.file, text)) return { kind: 'uncompiled' }
    const tests = this.#order(mutant).filter(isWanted)
    const path = join(this.#copy.root, mutant.file)
    const original = readFileSync(path)
    writeFileSync(path, text)
    try {
      const { failure, untried } = await this.#try(tests)
      if (failure === undefined) return { kind: 'survived', tried: tests.length - untried.length, untried }
      const pair = `${mutant.file} ${failure.file}`
      this.#kills.set(pair, (this.#kills.get(pair) ?? 0) + 1)
      return { kind: 'killed', file: failure.file, by: failure.test }
    } finally {
      writeFileSync(path, original)
    }
  }

  /** Ends the process of the tests. */
  stop(): void {
    this.#process.stop()
  }

  /** The nearest light test, the other light ones together, then the others alone, as many as patience allows. */
  async #try(
    tests: readonly CoveringTest[],
  ): Promise<{ readonly failure?: TestFailure; readonly untried: readonly string[] }> {
    const [nearest, ...others] = tests.filter(({ milliseconds }) => milliseconds < light)
    const alone = nearest === undefined ? undefined : await failureOf(this.#process, [nearest], 'alone')
    const early = alone ?? (await this.#tryTogether(others))
    if (early !== undefined) return { failure: early, untried: [] }
    const heavy = tests.filter(({ milliseconds }) => milliseconds >= light)
    const tried = withinPatience(heavy, this.#patience)
    for (const test of tried) {
      const failure = await failureOf(this.#process, [test], 'alone')
      if (failure !== undefined) return { failure, untried: [] }
    }
    return { untried: heavy.filter((test) => !tried.includes(test)).map(({ file }) => file) }
  }

  /** A failure counts when the file fails by itself too: in one thread a file could trip over another's leavings. */
  async #tryTogether(tests: readonly CoveringTest[]): Promise<TestFailure | undefined> {
    if (tests.length === 0) return undefined
    const failure = await failureOf(this.#process, tests, 'together')
    if (failure === undefined) return undefined
    const at = tests.findIndex(({ file }) => file === failure.file)
    const test = tests[at]
    if (test === undefined) return failure
    return (await failureOf(this.#process, [test], 'alone')) ?? this.#tryTogether(tests.slice(at + 1))
  }

  #order({ file, offset }: Pick<SourceMutant, 'file' | 'offset'>): readonly CoveringTest[] {
    const words = basename(file, '.ts').split('-')
    const costOf = (test: CoveringTest) => {
      const isNear = words.some((word) => word.length > 3 && basename(test.file).includes(word))
      const kills = this.#kills.get(`${file} ${test.file}`) ?? 0
      return (test.milliseconds * (50 + test.breadth)) / (1 + (isNear ? 3 : 0) + 2 * kills)
    }
    return this.#coverage.covering(file, offset).toSorted((left, right) => costOf(left) - costOf(right))
  }
}

/** The first failure of some tests; no end within the bound, and the end of the process, are one too. */
async function failureOf(
  process: TestProcess,
  tests: readonly { readonly file: string; readonly milliseconds: number }[],
  mode: 'alone' | 'together',
): Promise<TestFailure | undefined> {
  const files = tests.map(({ file }) => file)
  const sum = tests.reduce((total, { milliseconds }) => total + milliseconds, 0)
  const outcome = await process.run({ files, mode }, boundOf(sum, mode))
  return 'lost' in outcome
    ? { file: files.length === 1 ? (files[0] ?? '') : 'some', test: outcome.lost }
    : outcome.failure
}

function withinPatience(tests: readonly CoveringTest[], patience: number): readonly CoveringTest[] {
  let spent = 0
  return tests.filter(({ milliseconds }) => {
    const fits = spent + milliseconds <= patience
    if (fits) spent += milliseconds
    return fits
  })
}
