import type { StoredActor, StoredChild } from './persist.ts'

/**
 * Migrates a document from one schema to the next. It is pure and never changes after its release, because stores
 * contain documents of that schema. Its input actors are complete, with any states and contexts.
 */
export interface Migration {
  /** Migrates a run, named `root`, or a call with its own row, with all their actors. */
  document(tree: StoredChild): StoredActor
}

/** A migration for each readable earlier schema, by the schema from which it starts. */
export type Migrations = { readonly [schema: number]: Migration }
