import type { BranchesInput } from '../../../machines/branches/branches.types.ts'
import { branchesChartsOf, type BranchesMachines } from '../../core/driving/branches-charts.ts'
import { noUsage } from '../../core/domain/usage.ts'
import { defined } from '../../core/domain/text/json.ts'
import { reviveRun, type StoredActor } from '../../core/runtime/persist.ts'
import type { BranchesConfiguration } from './branches-configurations.ts'
import { type BranchesFacts, candidatesOf, factsAfter, factsAtStart, isDone, isOpenCall } from './branches-facts.ts'
import { branchesRules, runOf } from './branches-invariants.ts'
import type { Move, OpenEffect, Standing } from './exploration-types.ts'
import { type Finding, movesOn, nameOfMove, type Trail } from './explore.ts'
import { type InspectionWatcher, LiveChart, type MicrostepWatcher, type Step } from './live-chart.ts'
import { eventOf, outputOf } from './move-outcomes.ts'

/** The subject and observers of an exploration of groups. */
export interface ExploreBranchesOptions {
  readonly configuration: BranchesConfiguration
  /** Default: the original charts. */
  readonly machines?: BranchesMachines
  readonly onMicrostep?: MicrostepWatcher
  readonly onInspect?: InspectionWatcher
  /** Called for every move. */
  readonly onStep?: (path: Trail | undefined) => void
  /** Stops at the first broken rule. */
  readonly isQuick?: boolean
}

interface Place {
  readonly standing: Standing
  readonly facts: BranchesFacts
  readonly path: Trail | undefined
}

const mostStates = 20_000

/** Visits every state that a group can reach, with both interpreters, and checks every move against the rules. */
export function exploreBranches(options: ExploreBranchesOptions): {
  readonly states: number
  readonly findings: readonly Finding[]
} {
  const { configuration, isQuick = false, onStep = () => {} } = options
  const findings: Finding[] = []
  const harness = harnessOf(options)
  const known = new Map<string, Place>()
  const arrive = (was: BranchesFacts, path: Trail | undefined, step: Step): Place => {
    const facts = factsAfter(was, path?.move, step.happenings)
    const place = { standing: step.standing, facts, path }
    const observed = { move: path?.move, ...step, was, facts }
    for (const [invariant, rule] of Object.entries(branchesRules)) {
      const what = rule(observed)
      if (what === undefined) continue
      findings.push({ invariant, what, configuration: configuration.name, path: movesOn(path).map(nameOfMove) })
    }
    onStep(path)
    return place
  }
  const queue: Place[] = [arrive(factsAtStart(configuration.size), undefined, harness.open())]
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    const key = keyOf(place)
    if (known.has(key)) continue
    known.set(key, place)
    if (known.size > mostStates)
      throw new Error(`The group "${configuration.name}" has more than ${mostStates} states.`)
    if (place.standing.failure !== undefined) continue
    for (const move of movesOf(place, configuration)) {
      if (isQuick && findings.length > 0) return { states: known.size, findings }
      const { standing, facts, path } = place
      queue.push(arrive(facts, { move, before: path }, harness.step(standing, move, facts)))
    }
  }
  return { states: known.size, findings }
}

function keyOf({ standing, facts }: Place): string {
  return `${standing.text.replaceAll(/"key":"k\d+"/g, '""')}${JSON.stringify(facts)}`
}

function harnessOf({ configuration, machines, onMicrostep = () => {}, onInspect }: ExploreBranchesOptions) {
  const charts = branchesChartsOf(machines)
  const twin = branchesChartsOf(machines, 'xstate')
  const calls = Object.keys(factsAtStart(configuration.size).calls)
  const input: BranchesInput = { branches: calls.map((callId) => ({ callId, runId: runOf(callId) })) }
  const parts = { charts, twin, input, onMicrostep, ...defined({ onInspect }) }
  return {
    open: (): Step => new LiveChart(parts).open(),
    step: (standing: Standing, move: Move, facts: BranchesFacts): Step => {
      const snapshot = reviveRun(JSON.parse(standing.text) as StoredActor, charts.defaults(input))
      const live = new LiveChart({ ...parts, from: { standing, snapshot } })
      const observed = { configuration, suspensions: (id: string) => facts.suspensions[id] ?? 0, at: 1 }
      if (move.type === 'cancelRun') return live.send({ ...eventOf(move, observed), ...{ why: 'Enough.' } })
      if (move.type !== 'complete') return live.send(eventOf(move, observed))
      return live.complete(move.owner, move.src, (effect) =>
        effect.src === 'evaluate' ? evaluated(facts, move.outcome) : outputOf(effect, move.outcome, observed),
      )
    },
  }
}

function evaluated(facts: BranchesFacts, outcome: string) {
  const candidates = candidatesOf(facts)
  const callId = outcome === 'nobody' ? 'nobody' : candidates.at(outcome === 'last' ? -1 : 0)
  return { callId, usage: noUsage, cost: 0, at: 1 }
}

function movesOf({ standing, facts }: Place, configuration: BranchesConfiguration): readonly Move[] {
  const { interference, evaluate, outcomes, maxSuspensions } = configuration
  const { decisions = [], kept = [], says = [], cancelRun, cancelCall, fail, wake, strays } = interference
  const outcomesOf = ({ src, owner }: OpenEffect): readonly string[] => {
    if (src === 'evaluate') return evaluate
    if (src === 'sleep') return []
    const names = src === 'runTool' ? (outcomes.runTool ?? ['succeeded']) : (outcomes.gateReplay ?? ['allowed'])
    return names.filter((name) => name !== 'suspended' || (facts.suspensions[owner] ?? 0) < maxSuspensions)
  }
  const ids = Object.keys(facts.calls)
  const waiting = ids.filter((id) => facts.calls[id] === 'suspended')
  const counted = (kind: string) => facts.said.filter((text) => text.startsWith(kind)).length
  const isOver = isDone(facts)
  return [
    ...standing.effects.flatMap((effect) =>
      outcomesOf(effect).map(
        (outcome) => ({ type: 'complete', owner: effect.owner, src: effect.src, outcome }) as const,
      ),
    ),
    ...waiting.flatMap((callId) =>
      decisions.map((action) => ({ type: 'decide', callId, action, answers: 'current' }) as const),
    ),
    ...(strays === true
      ? ids.flatMap((callId) =>
          facts.suspensions[callId] === undefined || isOver
            ? []
            : [{ type: 'decide', callId, action: 'resume', answers: 'past' } as const],
        )
      : []),
    ...ids.flatMap((callId) =>
      facts.calls[callId] === 'running' && facts.suspensions[callId] === undefined && facts.kept[callId] === undefined
        ? kept.map((action) => ({ type: 'decide', callId, action, answers: 'first' }) as const)
        : [],
    ),
    ...(cancelCall === true ? ids.map((callId) => ({ type: 'cancelCall', callId }) as const) : []),
    ...(strays === true ? [{ type: 'cancelCall', callId: 'nobody' } as const] : []),
    ...says.flatMap((kind): readonly Move[] => {
      const count = kind === 'extension' ? facts.posted : counted(kind)
      return count > 0 || isOver ? [] : [{ type: 'say', kind, count: 1 }]
    }),
    ...(cancelRun === true ? [{ type: 'cancelRun' } as const] : []),
    ...(fail === true ? [{ type: 'fail' } as const] : []),
    ...(wake === true ? [{ type: 'wake' } as const] : []),
  ].filter((move) => move.type !== 'cancelCall' || !isOver || isOpenCall(facts.calls[move.callId]))
}
