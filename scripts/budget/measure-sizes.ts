import { bundleSize, studioSize } from './bundle-size.ts'
import { bytesAtRest } from './bytes-at-rest.ts'
import { installedSize } from './installed-size.ts'
import { type BudgetLimit, limits } from './limits.ts'

/**
 * Measures what is the same on every machine, in a project into which the package was just installed; writes files there
 * and into `folder`. Returns each limit with its figure.
 */
export async function measureSizes(
  project: string,
  folder: string,
): Promise<readonly (readonly [limit: BudgetLimit, measured: number])[]> {
  // The install size is measured first, before other files are written into the project.
  const installed = installedSize(project)
  const { minified, gzipped, whole } = bundleSize(project)
  return [
    [limits.install, installed],
    [limits.minified, minified],
    [limits.whole, whole],
    [limits.gzipped, gzipped],
    [limits.studio, studioSize(project)],
    [limits.rest, await bytesAtRest(folder)],
  ]
}

/** Returns a line for each size over its limit. */
export function sizeProblems(sizes: Awaited<ReturnType<typeof measureSizes>>): readonly string[] {
  return sizes.flatMap(([{ name, limit, reason }, measured]) =>
    measured <= limit ? [] : [`${name}: ${measured.toFixed(2)}, over the limit of ${limit}: ${reason}`],
  )
}
