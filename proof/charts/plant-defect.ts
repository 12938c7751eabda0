import { assign } from 'xstate'
import type { RunMachines } from '../../src/core/driving/run-charts.ts'
import { listsOf, type StateConfig, statesOf } from '../../src/testing/charts/chart-config.ts'
import { edgeId, edgesOf } from '../../src/testing/charts/chart-edges.ts'
import { type ChartName, configOf, machinesWith } from '../../src/testing/charts/machines-under-test.ts'

/** One thing made wrong in a chart, by the name of a transition or state. */
export type Defect =
  | { readonly kind: 'drop' | 'unguard' | 'mute' | 'keep event'; readonly transition: string }
  | { readonly kind: 'retarget'; readonly transition: string; readonly to: string }
  | { readonly kind: 'idle entry'; readonly chart: ChartName; readonly state: string }

/** The charts with one defect planted. */
export function plantDefect(defect: Defect): RunMachines {
  const chart = defect.kind === 'idle entry' ? defect.chart : (defect.transition.split(' ')[0] as ChartName)
  const config = configOf(chart)
  if (defect.kind === 'idle entry') {
    const state = statesOf(config).find(({ path }) => path.join('.') === defect.state)?.state
    if (state?.entry === undefined) throw new Error(`State "${defect.state}" of ${chart} does nothing on entry.`)
    delete state.entry
  } else {
    change(chart, config, defect)
  }
  return machinesWith({ [chart]: config })
}

function change(chart: ChartName, config: StateConfig, defect: Exclude<Defect, { kind: 'idle entry' }>): void {
  const edge = edgesOf(chart, config).find((other) => edgeId(other) === defect.transition)
  if (edge === undefined) throw new Error(`There is no transition "${defect.transition}"; see docs/transitions.md.`)
  switch (defect.kind) {
    case 'drop':
      for (const { candidates } of statesOf(config).flatMap(({ state }) => listsOf(state))) {
        const index = candidates.indexOf(edge.config)
        if (index >= 0) candidates.splice(index, 1)
      }
      return
    case 'unguard':
      delete edge.config.guard
      return
    case 'mute':
      delete edge.config.actions
      return
    case 'keep event':
      Object.assign(edge.config, { actions: [...(edge.config.actions ?? []), keepEvent] })
      return
    case 'retarget':
      edge.config.target = defect.to
  }
}

/** Puts what an event brought into the context, whole. */
const keepEvent = assign(({ event }) => ({ lastEvent: event }))
