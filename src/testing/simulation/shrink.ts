/**
 * Makes the choices of a failing run milder, as long as it still fails: cuts off the end, then sets blocks of choices
 * to 0, the mildest choice, and then single ones. `fails` plays the run with other choices.
 */
export async function shrink(
  choices: readonly number[],
  fails: (choices: readonly number[]) => Promise<boolean>,
): Promise<readonly number[]> {
  let best = trimmed(choices)
  const attempt = async (candidate: readonly number[]): Promise<boolean> => {
    const isMilder = await fails(candidate)
    if (isMilder) best = trimmed(candidate)
    return isMilder
  }
  for (let length = best.length >> 1; length >= 1; length >>= 1) {
    while (best.length > length && (await attempt(best.slice(0, best.length - length))));
    for (let from = 0; from < best.length; from += length) {
      const to = Math.min(from + length, best.length)
      if (best.slice(from, to).every((choice) => choice === 0)) continue
      await attempt(best.map((choice, index) => (index >= from && index < to ? 0 : choice)))
    }
  }
  return best
}

/** Choices without the zeros at their end, which count as given. */
function trimmed(choices: readonly number[]): readonly number[] {
  const last = choices.findLastIndex((choice) => choice !== 0)
  return choices.slice(0, last + 1)
}
