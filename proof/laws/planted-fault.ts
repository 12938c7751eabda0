/** A small change to a source file that bends one decision of `docs/adr`, and the check that has to notice it. */
export interface PlantedFault {
  /** Number of the decision. */
  readonly decision: number
  /** The broken law, as a sentence. */
  readonly bends: string
  /** The file that is changed, by path below the root. */
  readonly file: string
  /** The replaced text, which occurs exactly once in the file. */
  readonly text: string
  /** The replacement. */
  readonly by: string
  /** A test file, by path, or the name of an npm script. The page of the decision names it under "Enforced by". */
  readonly check: string
  /** True where the check needs a Postgres server; without one it is skipped. */
  readonly needsPostgres?: true
}

/** True for a check that is a test file, and false for one that is an npm script. */
export function isTestFile(check: string): boolean {
  return check.endsWith('.test.ts')
}

/** The text of a file with the fault in it; undefined where its place is not there exactly once, or nothing is changed. */
export function planted({ text, by }: Pick<PlantedFault, 'text' | 'by'>, source: string): string | undefined {
  const [before, after, ...more] = source.split(text)
  if (before === undefined || after === undefined || more.length > 0 || by === text) return undefined
  return before + by + after
}
