const root = 'statewright'

/** The maximum number of public names at the root, so that a person can remember them. */
const most = 60

/**
 * Checks the public names, given as the lines of `writeExports`: the root entry point has at most 60 names, each name
 * is in the README, a guide or an example, and no two entry points export the same name.
 */
export function checkSurface(lines: string, told: string): readonly string[] {
  const names = lines
    .trim()
    .split('\n')
    .map((line) => ({ entry: line.split(' ')[0] ?? '', name: line.split(' ').at(-1) ?? '' }))
  const ofRoot = names.filter(({ entry }) => entry === root)
  const entriesOf = Map.groupBy(names, ({ name }) => name)
  return [
    ...(ofRoot.length > most ? [`"${root}" exports ${ofRoot.length} names; it may export ${most}.`] : []),
    ...ofRoot
      .filter(({ name }) => !new RegExp(String.raw`\b${name}\b`).test(told))
      .map(
        ({ name }) =>
          `"${root}" exports ${name}, which no guide, README or example names; export it from ${root}/ports.`,
      ),
    ...[...entriesOf].flatMap(([name, given]) => {
      const entries = [...new Set(given.map(({ entry }) => entry))]
      return entries.length > 1 ? [`${name} is exported by ${entries.join(' and ')}; export it once.`] : []
    }),
  ]
}
