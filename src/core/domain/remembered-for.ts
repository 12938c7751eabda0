import type { RunDetails } from './run-details.ts'

/** Returns the owner of a run's memories: its user, or else its session; undefined for a run with neither. */
export function rememberedFor({
  userId,
  session,
}: RunDetails): { readonly userId: string; readonly session?: string } | undefined {
  const owner = userId ?? session?.id
  if (owner === undefined) return undefined
  return { userId: owner, ...(session === undefined ? {} : { session: session.id }) }
}
