import type { NewRun } from '../../../core/ports/store.ts'
import { safeText } from './safe-text.ts'

/** The maximum bytes of a key in its stored form that every Postgres index accepts and a notification can hold. */
const longestKey = 2000

/** Throws a RangeError for a run whose id or agent is too long for an index key. */
export function checkKeys({ id, agent }: Pick<NewRun, 'id' | 'agent'>): void {
  for (const [name, key] of [
    ['id', id],
    ['agent', agent],
  ] as const) {
    const bytes = Buffer.byteLength(safeText(key))
    if (bytes <= longestKey) continue
    const wish = `The Postgres store takes at most ${longestKey}: choose a shorter one.`
    throw new RangeError(`The ${name} of run "${id.slice(0, 100)}" has ${bytes} bytes. ${wish} Nothing was written.`)
  }
}
