/** The numbers of passed and failed tests, from the runner's own report. */
export interface Figures {
  readonly passed: number
  readonly failed: number
}

interface Report {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[]
}

/**
 * Reads vitest's JSON report. A file that could not be loaded counts as one failure, and so does an error outside any
 * test.
 */
export function readFigures(json: string): Figures {
  const { success, numPassedTests, numFailedTests, testResults } = JSON.parse(json) as Report
  const notLoaded = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  const failed = numFailedTests + notLoaded.length
  return { passed: numPassedTests, failed: success ? failed : Math.max(failed, 1) }
}

/** Returns the gate's last line. */
export function figuresLine({ passed, failed }: Figures): string {
  return `${passed} passed, ${failed} failed`
}
