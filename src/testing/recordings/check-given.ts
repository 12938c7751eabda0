import { having } from '../../core/domain/text/option-shape.ts'

/** Throws a `UsageError` unless a function was given an agent's options and a store. */
export function checkGiven(owner: string, source: unknown, store: unknown): void {
  const given = typeof source === 'function' ? {} : source
  having("an agent's options, or a function that returns them")(given, { field: 'source', owner })
  having('a store', 'read', 'list', 'entries')(store, { field: 'store', owner })
}
