/** Returns, for each prefix of a text, the length of its longest proper border (Knuth, Morris, Pratt). */
export function bordersOf(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length)
  let matched = 0
  for (let at = 1; at < wanted.length; at++) {
    const code = wanted.charCodeAt(at)
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (code === wanted.charCodeAt(matched)) matched++
    borders[at] = matched
  }
  return borders
}
