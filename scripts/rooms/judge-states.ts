import { parseSync, Visitor } from 'oxc-parser'
import { phases } from '../../machines/run/run.phases.ts'
import { statesOf } from '../../src/testing/charts/chart-config.ts'
import { chartNames, configOf } from '../../src/testing/charts/machines-under-test.ts'

/** A place outside the charts that knows a state by its name. */
export interface KnownState {
  readonly path: string
  readonly name: string
}

/** The charts' own folder; the proof, which says by hand what each state wants; and a dictionary stored files were packed with. */
const knowing = ['machines/', 'src/testing/', 'src/adapters/stores/sqlite/starting-text.ts']

/** Names of states that are also plain words for something else, which the lint cannot tell apart. */
const plainWords: ReadonlySet<string> = new Set([
  ...['opening', 'turn', 'before', 'after', 'ended', 'closing', 'telling'],
  ...['queued', 'decided', 'supplied', 'settled', 'answered', 'failed', 'calling', 'running', 'waiting', 'done'],
])

/** Places of a file of the product that name a state of a chart; tags and selectors beside the chart say it instead. */
export function statesNamedIn(path: string, text: string): readonly KnownState[] {
  if (!path.startsWith('src/') || knowing.some((start) => path.startsWith(start))) return []
  const found = new Set<string>()
  const see = (name: unknown) => void (typeof name === 'string' && innerStates.has(name) && found.add(name))
  new Visitor({ Literal: ({ value }) => see(value), Identifier: ({ name }) => see(name) }).visit(
    parseSync(path, text, { sourceType: 'module' }).program,
  )
  return [...found].map((name) => ({ path, name }))
}

/** States inside the three of a run and the seven of a call, which are stored statuses; a phase shares its name with its state. */
const innerStates: ReadonlySet<string> = new Set(
  chartNames
    .flatMap((chart) => statesOf(configOf(chart)).filter(({ path }) => path.length > (chart === 'modelCall' ? 0 : 1)))
    .flatMap(({ path }) => path.at(-1) ?? [])
    .filter((name) => !plainWords.has(name) && !Object.hasOwn(phases, name)),
)

/** Texts that name a state, read in memory to prove that the lint sees them. */
export const statePlants: readonly { readonly text: string; readonly name: string }[] = [
  { text: "export const open = new Set(['reviewingAnswer'])", name: 'reviewingAnswer' },
  { text: 'export const isIn = ({ toolRound }: { toolRound?: string }) => toolRound !== undefined', name: 'toolRound' },
  { text: 'export const states = { backingOff: true }', name: 'backingOff' },
]
