import { parseArgs } from 'node:util'

/** The flags of a proving script: whole numbers by name, switches, texts (undefined where not given), and `--json`. */
export function parseFlags<Name extends string, Switch extends string = never, Text extends string = never>(
  script: string,
  defaults: Readonly<Record<Name, number>>,
  switches: readonly Switch[] = [],
  texts: readonly Text[] = [],
): Flags<Name, Switch, Text> {
  const names = Object.keys(defaults) as Name[]
  const options = Object.fromEntries([...names, ...texts].map((name) => [name, { type: 'string' as const }]))
  try {
    const onOff = [...switches, 'json'].map((name) => [name, { type: 'boolean' as const }])
    const parsed = parseArgs({ options: { ...options, ...Object.fromEntries(onOff) } })
    const values = parsed.values as { readonly [name: string]: string | boolean | undefined }
    const numbers = names.map((name) => [name, wholeNumber(name, values[name], defaults[name])])
    const switched = onOff.map(([name]) => [name, values[name as string] === true])
    const given = texts.map((name) => [name, values[name]])
    return Object.fromEntries([...numbers, ...switched, ...given]) as Flags<Name, Switch, Text>
  } catch (error) {
    const known = names.map((name) => `--${name} ${defaults[name]}`).join(' ')
    const message = error instanceof Error ? error.message : String(error)
    const rest = [...texts.map((name) => `--${name} …`), ...switches.map((name) => `--${name}`), '--json']
    const all = [known, ...rest].join(' ')
    console.error(`${message}\nUsage: npm run ${script} -- ${all}`)
    process.exit(1)
  }
}

type Flags<Name extends string, Switch extends string, Text extends string> = Readonly<Record<Name, number>> &
  Readonly<Record<Switch | 'json', boolean>> &
  Readonly<Record<Text, string | undefined>>

function wholeNumber(name: string, given: string | boolean | undefined, standard: number): number {
  if (given === undefined) return standard
  const value = Number(given)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`--${name} is ${JSON.stringify(given)}; expected a whole number of 0 or more.`)
}
