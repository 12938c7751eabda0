import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { copyingFunctions } from './copying-functions.ts'
import { Coverage, type CoveredFile } from './coverage.ts'
import { executedLines } from './executed-lines.ts'

/** One file, and the functions of it that were entered, in the order of the file. */
export interface EnteredFile {
  readonly path: string
  /** `?` stands for a function without a name. */
  readonly functions: readonly string[]
}

/** A function that copies, and how often it was called. */
export interface CopyingFunction {
  readonly path: string
  readonly name: string
  readonly calls: number
}

/** The entered functions and executed code. */
export interface Counts {
  readonly files: number
  readonly functions: number
  /** Lines of which something was executed. */
  readonly lines: number
}

/** The functions that one run of two turns enters, and that a turn in the middle of many enters, including XState's. */
export interface Footprint extends Counts {
  /** The same of `src` and `machines` alone. */
  readonly ours: Counts
  readonly entered: readonly EnteredFile[]
  readonly steadyTurn: {
    readonly functions: number
    readonly calls: number
    /** Calls of functions that copy, freeze or serialise JSON. */
    readonly copyingCalls: number
    readonly copying: readonly CopyingFunction[]
    readonly entered: readonly EnteredFile[]
  }
}

/** Counts both; each is played once before it is counted. */
export async function countFootprint(): Promise<Footprint> {
  const coverage = new Coverage()
  // Modules imported before the coverage has begun are not counted by lines.
  const { playRun, playTurns, turnsPlayed } = await import('./play-run.ts')
  await playRun()
  coverage.take()
  await playRun()
  const run = coverage.take()
  await playTurns(() => {})
  let turn: readonly CoveredFile[] = []
  const middle = turnsPlayed / 2
  await playTurns((asked) => {
    if (asked === middle) coverage.take()
    if (asked === middle + 1) turn = coverage.take()
  })
  coverage.stop()
  const copying = turn.flatMap(copyingIn)
  return {
    ...countsOf(run),
    ours: countsOf(run.filter(({ path }) => !path.startsWith('node_modules/'))),
    entered: run.map(enteredFile),
    steadyTurn: {
      functions: functionsOf(turn).length,
      calls: sum(functionsOf(turn).map(({ count }) => count)),
      copyingCalls: sum(copying.map(({ calls }) => calls)),
      copying: copying.toSorted((left, right) => right.calls - left.calls),
      entered: turn.map(enteredFile),
    },
  }
}

function countsOf(files: readonly CoveredFile[]): Counts {
  return {
    files: files.length,
    functions: functionsOf(files).length,
    lines: sum(files.map((file) => executedLines(textOf(file), file.ranges))),
  }
}

function functionsOf(files: readonly CoveredFile[]): CoveredFile['entered'] {
  return files.flatMap(({ entered }) => entered)
}

function enteredFile({ path, entered }: CoveredFile): EnteredFile {
  return { path, functions: entered.map(({ name }) => name) }
}

function copyingIn(file: CoveredFile): readonly CopyingFunction[] {
  return copyingFunctions(textOf(file), file).map(({ name, count }) => ({ path: file.path, name, calls: count }))
}

function textOf({ path }: CoveredFile): string {
  return readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
