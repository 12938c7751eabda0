export { postgresMemory } from './postgres-memory.ts'
export type { PostgresMemory, PostgresMemoryOptions } from './postgres-memory.ts'
