/** Returns the names in the text of a flag, or all known ones without it. Ends the process if one is unknown. */
export function chosenNames(given: string | undefined, known: readonly string[], what: string): readonly string[] {
  const names = given?.split(',') ?? known
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length === 0) return names
  console.error(`No ${what} is named ${unknown.join(', ')}. Known: ${known.join(', ')}.`)
  process.exit(1)
}
