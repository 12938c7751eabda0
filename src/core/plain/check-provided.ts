import { isRecord } from '../domain/text/json.ts'
import { badOption } from '../domain/text/option-shape.ts'
import { nearestName } from '../domain/text/nearest-name.ts'

/** The implementation names of a machine, by kind. */
export type ImplementationNames = Readonly<Record<string, readonly string[]>>

/** Throws a `UsageError` for an implementation whose name no chart uses, because it would never be called. */
export function checkProvided(given: unknown, known: ImplementationNames): void {
  const owner = 'machine.provide'
  if (!isRecord(given)) throw badOption({ field: 'implementations', owner }, given, 'Expected { actors, actions, … }.')
  const refuse = (field: string, name: string, names: readonly string[]) => {
    if (names.includes(name)) return
    const near = nearestName(name, names)
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`
    throw badOption({ field, owner }, name, `No chart asks for it.${hint} Known: ${names.join(', ') || 'none'}.`)
  }
  for (const [kind, implementations] of Object.entries(given)) {
    refuse('implementations', kind, Object.keys(known))
    if (implementations === undefined) continue
    if (!isRecord(implementations)) throw badOption({ field: kind, owner }, implementations, 'Expected an object.')
    for (const name of Object.keys(implementations)) refuse(kind, name, known[kind] ?? [])
  }
}
