/** Who asks for runs of one agent, and how many of its runs are driven already. */
export interface Share<Found> {
  readonly driven: number
  /** Claims at most so many runs. */
  readonly claim: (limit: number) => Promise<readonly Found[]>
}

/**
 * Claims runs for so many free places: those that are driven least come first, each gets its part of what is left, and
 * what one does not use goes to the others. Rejects where nothing was claimed before it failed: else what was claimed is
 * given, since nobody else may drive it.
 */
export async function claimFairly<Found>(shares: readonly Share<Found>[], free: number): Promise<readonly Found[]> {
  const found: Found[] = []
  let wanting = shares.toSorted((left, right) => left.driven - right.driven)
  while (wanting.length > 0 && found.length < free) {
    const stillWanting: Share<Found>[] = []
    for (const [index, share] of wanting.entries()) {
      const limit = Math.ceil((free - found.length) / (wanting.length - index))
      if (limit === 0) break
      const some = await share.claim(limit).catch((error: unknown) => {
        if (found.length === 0) throw error
        return undefined
      })
      if (some === undefined) return found
      found.push(...some)
      if (some.length === limit) stillWanting.push(share)
    }
    wanting = stillWanting
  }
  return found
}
