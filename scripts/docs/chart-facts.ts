import {
  type Candidate,
  copyConfig,
  eventName,
  listsOf,
  type Named,
  type StateConfig,
  statesOf,
} from '../../src/testing/charts/chart-config.ts'

/**
 * Returns the differences between a chart as the official extractor reads it and the assembled chart; empty if they are
 * equal. Null means that the extractor does not find the chart.
 */
export function differences(read: unknown, assembled: unknown): readonly string[] {
  const seen = read === null ? [] : chartFacts(read)
  const facts = chartFacts(assembled)
  return [
    ...facts.filter((fact) => !seen.includes(fact)).map((fact) => `not read: ${fact}`),
    ...seen.filter((fact) => !facts.includes(fact)).map((fact) => `read, but not there: ${fact}`),
  ]
}

/**
 * Returns the states, invocations and transitions of a config by name, one per line and in order; parameters are left
 * out.
 */
function chartFacts(config: unknown): readonly string[] {
  return statesOf(copyConfig(config)).flatMap(({ path, state }) => {
    const name = path.length === 0 ? '(root)' : path.join('.')
    return stateFacts(state).map((fact) => `${name}${fact}`)
  })
}

function stateFacts(state: StateConfig): readonly string[] {
  const { type, initial, entry = [], exit = [], invoke = [] } = state
  return [
    `${type === undefined ? '' : ` is ${type}`}${initial === undefined ? '' : ` starts in ${initial}`}`,
    ...(entry.length === 0 ? [] : [` is entered with ${namesOf(entry)}`]),
    ...(exit.length === 0 ? [] : [` is left with ${namesOf(exit)}`]),
    ...invoke.map(({ id, src }) => ` invokes ${String(src)} as ${id}`),
    ...listsOf(state).flatMap(({ event, candidates }) =>
      candidates.map((candidate, index) => ` --${eventName(event)} ${index + 1}${arrowOf(candidate)}`),
    ),
  ]
}

function arrowOf({ guard, target = '(stays)', actions = [] }: Candidate): string {
  const condition = guard === undefined ? '' : `[${typeof guard === 'function' ? 'a function' : typeOf(guard)}]`
  return `${condition}--> ${target}${actions.length === 0 ? '' : ` / ${namesOf(actions)}`}`
}

function namesOf(actions: readonly Named[]): string {
  return actions.map(typeOf).join(', ')
}

function typeOf(named: Named): string {
  return typeof named === 'string' ? named : named.type
}
