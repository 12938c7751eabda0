/** One case of a suite: its name, a sentence, and what runs it. */
export interface SuiteCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/** A suite over one implementation. */
export interface Suite {
  /** The contract: `store`, `model`. */
  readonly name: string
  /** The implementation: `memory`, `SQLite`. */
  readonly subject: string
  readonly cases: readonly SuiteCase[]
}

/** The result of a suite. */
export interface SuiteReport {
  readonly name: string
  readonly subject: string
  readonly passed: number
  readonly failed: number
}

/** Runs the cases one after another, prints a line for the suite and one for each case that fails; a case that takes longer than `patienceMs` fails. */
export async function runSuite(
  { name, subject, cases }: Suite,
  print: (line: string) => void,
  patienceMs = 240_000,
): Promise<SuiteReport> {
  const failures: string[] = []
  for (const one of cases) {
    const failure = await failureOf(one, patienceMs)
    if (failure !== undefined) failures.push(`  FAILED ${one.name}: ${failure}`)
  }
  const report = { name, subject, passed: cases.length - failures.length, failed: failures.length }
  print(`${name.padEnd(7)} ${subject.padEnd(17)} ${report.passed} passed, ${report.failed} failed`)
  for (const failure of failures) print(failure)
  return report
}

/** The error on one line; undefined if there was none. */
async function failureOf({ run }: SuiteCase, patienceMs: number): Promise<string | undefined> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`It did not end within ${patienceMs} ms.`)), patienceMs)
  try {
    await Promise.race([run(), late])
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return message.trim().replaceAll(/\s+/g, ' ').slice(0, 300)
  } finally {
    clearTimeout(timer)
  }
}
