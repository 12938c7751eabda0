import { checkedOptions, type StudioOptions } from './options.ts'
import { readPage } from './page-files.ts'
import { openStudio, type Studio } from './studio.ts'

export type { Studio } from './studio.ts'
export type { StudioOptions } from './options.ts'

/**
 * Serves the page on which people inspect the runs of a store, answer their questions, step back through their
 * checkpoints and fork them. It listens only on this machine, and answers nothing about the store without its token.
 * Rejects with `UsageError` `bad_option` for an invalid option, and with the system's error if the port is taken.
 *
 * @example
 * await using page = await studio({ store: sqliteStore('./runs.db'), agents: [clerk] })
 * console.log(page.address)
 */
export async function studio(options: StudioOptions): Promise<Studio> {
  return await openStudio(checkedOptions(options), readPage)
}
