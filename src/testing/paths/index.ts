export { describePaths } from './describe-paths.ts'
export type { TestRunner } from './describe-paths.ts'
export type { AgentSource, AgentUnderTest } from './agent-under-test.ts'
