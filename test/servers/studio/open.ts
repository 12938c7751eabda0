import { onTestFinished } from 'vitest'
import type { Studio, StudioOptions } from '../../../src/servers/studio/index.ts'
import { checkedOptions } from '../../../src/servers/studio/options.ts'
import { openStudio } from '../../../src/servers/studio/studio.ts'

/** The tokens of the studios of a test, by origin. */
const tokens = new Map<string, string>()

/** A studio that is closed when the test ends; its page is empty where nobody looks at it. */
export async function studioFor(
  options: StudioOptions,
  readFiles = async () => ({ script: '', style: '' }),
): Promise<Studio> {
  const studio = await openStudio(checkedOptions(options), readFiles)
  onTestFinished(() => studio.close())
  tokens.set(new URL(studio.url).origin, studio.token)
  return studio
}

/** The header with the token of the studio at an address. */
export function tokenFor(url: string): { readonly authorization: string } {
  return { authorization: `Bearer ${tokens.get(new URL(url).origin) ?? ''}` }
}

/** The answer of a studio to a request that shows its token. */
export function askStudio(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { ...tokenFor(url), ...Object.fromEntries(new Headers(init.headers)) } })
}
