interface Share<Found> {
  readonly driven: number
  readonly claim: (limit: number) => Promise<readonly Found[]>
}

/** Claims runs for the free places, evenly by agent. Rejects only if a claim failed and no run was found. */
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
