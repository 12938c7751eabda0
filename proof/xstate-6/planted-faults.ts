import { copyConfig, type StateConfig } from '../../src/testing/charts/chart-config.ts'
import type { Chart5 } from './convert.ts'

/** Faults of a conversion, each of which the comparison has to find. */
export const plantedFaults: { readonly [name: string]: (chart: Chart5) => Chart5 } = {
  'no entry is taken': (chart) => eachState(chart, ({ entry: _, ...rest }) => rest),
  'the last candidate comes first': (chart) =>
    eachState(chart, ({ always, ...rest }) => (always === undefined ? rest : { ...rest, always: always.toReversed() })),
  'every guard holds': (chart) => eachPart(chart, 'guards', () => () => true),
  'nothing is assigned': (chart) => eachAction(chart, 'xstate.assign', { assignment: () => ({}) }),
  'nothing is sent': (chart) => eachAction(chart, 'xstate.enqueueActions', { collect: () => {} }),
  'no child is stopped': (chart) => eachAction(chart, 'xstate.stopChild', { actorRef: 'nobody' }),
}

function eachState(chart: Chart5, change: (state: StateConfig) => StateConfig): Chart5 {
  const changed = ({ states, ...rest }: StateConfig): StateConfig => ({
    ...change(rest),
    ...(states && { states: Object.fromEntries(Object.entries(states).map(([key, state]) => [key, changed(state)])) }),
  })
  return { ...chart, config: changed(copyConfig(chart.config)) as Chart5['config'] }
}

function eachPart(chart: Chart5, kind: 'actions' | 'guards', change: (part: unknown) => unknown): Chart5 {
  const parts = Object.entries(chart.implementations[kind]).map(([name, part]) => [name, change(part)])
  return { ...chart, implementations: { ...chart.implementations, [kind]: Object.fromEntries(parts) } }
}

function eachAction(chart: Chart5, type: string, fields: object): Chart5 {
  return eachPart(chart, 'actions', (action) =>
    (action as { readonly type?: unknown }).type === type ? { type, ...fields } : action,
  )
}
