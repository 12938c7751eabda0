/** Who asks for runs of one agent, and how many of its runs are driven already. */
export interface Share<Found> {
  readonly driven: number
  /** Claims at most so many runs. */
  readonly claim: (limit: number) => Promise<readonly Found[]>
}

/**
 * Claims runs for so many free places: those that are driven least come first, each gets its part of what is left, and
 * what one does not use goes to the others. Where asking for one fails, the others are asked all the same, and `onFailure` is
 * told: nobody else may drive what was claimed. Rejects where something failed and nothing was found.
 */
export async function claimFairly<Found>(
  shares: readonly Share<Found>[],
  free: number,
  onFailure: (error: unknown) => void,
): Promise<readonly Found[]> {
  const found: Found[] = []
  let failed: { readonly error: unknown } | undefined
  let wanting = shares.toSorted((left, right) => left.driven - right.driven)
  while (wanting.length > 0 && found.length < free) {
    const stillWanting: Share<Found>[] = []
    for (const [index, share] of wanting.entries()) {
      const limit = Math.ceil((free - found.length) / (wanting.length - index))
      if (limit === 0) break
      try {
        const some = await share.claim(limit)
        found.push(...some)
        if (some.length === limit) stillWanting.push(share)
      } catch (error) {
        failed ??= { error }
      }
    }
    wanting = stillWanting
  }
  if (failed === undefined) return found
  if (found.length === 0) throw failed.error
  onFailure(failed.error)
  return found
}
