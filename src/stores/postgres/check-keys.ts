import type { NewRun } from '../../ports/store.ts'

/** Bytes of the longest key an index of Postgres surely takes. */
const longestKey = 2000

/** Throws a RangeError for a run whose id or agent is too long to be found by. */
export function checkKeys({ id, agent }: Pick<NewRun, 'id' | 'agent'>): void {
  for (const [name, key] of [
    ['id', id],
    ['agent', agent],
  ] as const) {
    const bytes = Buffer.byteLength(key)
    if (bytes <= longestKey) continue
    const wish = `The Postgres store takes at most ${longestKey}: choose a shorter one.`
    throw new RangeError(`The ${name} of run "${id.slice(0, 100)}" has ${bytes} bytes. ${wish} Nothing was written.`)
  }
}
