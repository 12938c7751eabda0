import { parseArgs } from 'node:util'

/** The flags of a proving script: whole numbers by name, and `--json`. */
export function parseFlags<Name extends string>(
  script: string,
  defaults: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> & { readonly json: boolean } {
  const names = Object.keys(defaults) as Name[]
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    const parsed = parseArgs({ options: { ...options, json: { type: 'boolean' as const } } })
    const values: { readonly [name: string]: string | boolean | undefined } = parsed.values
    const numbers = names.map((name) => [name, wholeNumber(name, values[name], defaults[name])])
    return { ...Object.fromEntries(numbers), json: values['json'] === true } as ReturnType<typeof parseFlags<Name>>
  } catch (error) {
    const known = names.map((name) => `--${name} ${defaults[name]}`).join(' ')
    const message = error instanceof Error ? error.message : String(error)
    console.error(`${message}\nUsage: npm run ${script} -- ${known} --json`)
    process.exit(1)
  }
}

function wholeNumber(name: string, given: string | boolean | undefined, standard: number): number {
  if (given === undefined) return standard
  const value = Number(given)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`--${name} is ${JSON.stringify(given)}; expected a whole number of 0 or more.`)
}
