/** The number of sequences to play, and the start. */
export interface Replay {
  readonly runs: number
  readonly seed: number
  /** The place of a counterexample. */
  readonly path?: string
}

/** Reads PROPERTIES_RUNS, PROPERTIES_SEED and PROPERTIES_PATH. */
export function readReplay(environment: { readonly [name: string]: string | undefined }, defaults: Replay): Replay {
  const path = environment['PROPERTIES_PATH']
  return {
    runs: numberIn(environment, 'PROPERTIES_RUNS') ?? defaults.runs,
    seed: numberIn(environment, 'PROPERTIES_SEED') ?? defaults.seed,
    ...(path === undefined || path === '' ? {} : { path }),
  }
}

function numberIn(environment: { readonly [name: string]: string | undefined }, name: string): number | undefined {
  const text = environment[name]
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new Error(`${name} is ${JSON.stringify(text)}; expected a whole number.`)
}
