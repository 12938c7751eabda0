/**
 * Migrates the stored run of each earlier schema to the next, by the schema from which a step starts. There is none before schema
 * 1. A step never changes once it was released.
 */
export const runMigrations = {}
