/**
 * The migrations of stored runs to the next schema, by the schema from which they start. There is none before schema 1.
 * A released migration never changes.
 */
export const runMigrations = {}
