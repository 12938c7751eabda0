import type { StoredActor, StoredChild } from './persist.ts'

/**
 * Migrates what one schema has written to the next. Pure, and never changed once it was released, because stores hold what it
 * reads. It is given actors that are known to be whole, whatever their states and contexts.
 */
export interface Migration {
  /** Migrates a run, by the name `root`, or a call of the run that has a row of its own; with all their actors. */
  document(tree: StoredChild): StoredActor
}

/** A migration for each earlier schema that can still be read; by the schema it starts from. */
export type Migrations = { readonly [schema: number]: Migration }
