/** The two functions of a test runner the tests are made with; those of vitest and of `node:test` fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly test: (name: string, body: () => Promise<void>) => unknown
}
