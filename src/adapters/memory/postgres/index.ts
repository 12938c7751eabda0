export { postgresMemory, type PostgresMemory, type PostgresMemoryOptions } from './postgres-memory.ts'
