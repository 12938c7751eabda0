/** The two functions of a test runner that define the tests; those of vitest and of `node:test` fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly test: (name: string, body: () => Promise<void>) => unknown
}
