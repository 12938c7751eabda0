export { memorySuite } from './memory-suite.ts'
export type { MemoryUnderTest } from './memory-suite.ts'
