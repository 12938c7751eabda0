export { toolsetSuite } from './toolset-suite.ts'
export type { ToolsetUnderTest } from './toolset-suite.ts'
