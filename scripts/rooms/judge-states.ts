import { parseSync, Visitor } from 'oxc-parser'
import { phases } from '../../machines/run/run.phases.ts'
import { statesOf } from '../../src/testing/charts/chart-config.ts'
import { chartNames, configOf } from '../../src/testing/charts/machines-under-test.ts'

/** Code outside the charts that names a state. */
export interface KnownState {
  readonly path: string
  readonly name: string
}

/** Code that may name states: the charts, the proof with its handwritten states, and the dictionary of stored files. */
const knowing = ['machines/', 'src/testing/', 'src/adapters/stores/sqlite/starting-text.ts']

/** State names that are also common words, which the lint cannot distinguish. */
const plainWords: ReadonlySet<string> = new Set([
  ...['opening', 'turn', 'before', 'after', 'ended', 'closing', 'telling'],
  ...['queued', 'decided', 'supplied', 'settled', 'answered', 'failed', 'calling', 'running', 'waiting', 'done'],
])

/** Returns the states that a product file names; tags and selectors of the charts should be used instead. */
export function statesNamedIn(path: string, text: string): readonly KnownState[] {
  if (!path.startsWith('src/') || knowing.some((start) => path.startsWith(start))) return []
  const found = new Set<string>()
  const see = (name: unknown) => void (typeof name === 'string' && innerStates.has(name) && found.add(name))
  new Visitor({ Literal: ({ value }) => see(value), Identifier: ({ name }) => see(name) }).visit(
    parseSync(path, text, { sourceType: 'module' }).program,
  )
  return [...found].map((name) => ({ path, name }))
}

/**
 * States inside the three of a run and the seven of a call, which are stored statuses. A phase has the name of its
 * state.
 */
const innerStates: ReadonlySet<string> = new Set(
  chartNames
    .flatMap((chart) => statesOf(configOf(chart)).filter(({ path }) => path.length > (chart === 'modelCall' ? 0 : 1)))
    .flatMap(({ path }) => path.at(-1) ?? [])
    .filter((name) => !plainWords.has(name) && !Object.hasOwn(phases, name)),
)

/** Texts that name a state, which prove that the lint finds them. */
export const statePlants: readonly { readonly text: string; readonly name: string }[] = [
  { text: "export const open = new Set(['reviewingAnswer'])", name: 'reviewingAnswer' },
  { text: 'export const isIn = ({ toolRound }: { toolRound?: string }) => toolRound !== undefined', name: 'toolRound' },
  { text: 'export const states = { backingOff: true }', name: 'backingOff' },
]
