import type { InboxRow } from '../domain/inbox.ts'
import type { LogEntry } from '../domain/log.ts'
import type { StoredActor, StoredChild } from './persist.ts'

/**
 * Brings what one schema has written forward to the next. Pure, and never changed once it was released: what it reads is
 * stored somewhere. It is given actors that are known to be whole, whatever their states and contexts. A payload of which no
 * row is known goes on in the state.
 */
export interface Migration {
  /** A run, by the name `root`, or a call of it that stands in a row of its own; with all their actors. */
  document(tree: StoredChild, beside: StoredBeside): StoredActor
}

/** What is stored of a run beside its document. */
export interface StoredBeside {
  readonly log: readonly LogEntry[]
  /** Of what was said to the run, the rows that are known here. */
  readonly inbox: readonly InboxRow[]
}

/** A migration for each earlier schema that can still be read; by the schema it starts from. */
export type Migrations = { readonly [schema: number]: Migration }

/** For documents of which only the actors are read. */
export const nothingBeside: StoredBeside = { log: [], inbox: [] }
