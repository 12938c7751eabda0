export { sandboxSuite } from './sandbox-suite.ts'
export type { SandboxUnderTest } from './sandbox-suite-fixtures.ts'
