import { not } from 'xstate'
import {
  type Candidate,
  copyConfig,
  eventName,
  listsOf,
  nameOf,
  type StateConfig,
  statesOf,
} from '../../src/testing/charts/chart-config.ts'
import { otherTargets } from './other-targets.ts'

export const operators = [
  'transition dropped',
  'target changed',
  'guard flipped',
  'guard removed',
  'action removed',
  'invoke removed',
  'order swapped',
] as const

export type Operator = (typeof operators)[number]

/** The changed place of a chart: a state, and the candidate of an event if it is one. */
export interface Place {
  /** Keys from the root, joined by dots; empty for the root. */
  readonly state: string
  readonly event?: string
  readonly index?: number
}

/** A chart with one thing wrong. */
export interface Mutant {
  /** The mutation spelled out; unique, and the same every time. */
  readonly id: string
  readonly chart: string
  readonly operator: Operator
  readonly place: Place
  /** Makes the change in a fresh copy of the config. */
  build(): StateConfig
}

type Change = (state: StateConfig) => void

interface Draft {
  readonly operator: Operator
  readonly place: Place
  readonly words: string
  readonly change: Change
}

/** Every mutant of one chart, in the order of its config. */
export function listMutants(machine: { readonly id: string; readonly config: unknown }): readonly Mutant[] {
  const config = copyConfig(machine.config)
  return statesOf(config).flatMap(({ path, state }) => {
    const drafts = [...draftsOfState(config, path, state), ...draftsOfLists(config, path, state)]
    return drafts.map((draft): Mutant => {
      const { operator, place, words, change } = draft
      const build = (): StateConfig => {
        const copy = copyConfig(machine.config)
        change(stateAt(copy, path))
        return copy
      }
      return { id: `${machine.id} ${words}`, chart: machine.id, operator, place, build }
    })
  })
}

/** The state at the end of a path; refuses one that leads nowhere. */
function stateAt(config: StateConfig, path: readonly string[]): StateConfig {
  return path.reduce((state, key) => {
    const child = state.states?.[key]
    if (child === undefined) throw new Error(`No state "${path.join('.')}" in this config.`)
    return child
  }, config)
}

function draftsOfState(config: StateConfig, path: readonly string[], state: StateConfig): readonly Draft[] {
  const place = { state: path.join('.') }
  const name = path.join('.') || '(root)'
  const { initial, invoke = [], states = {} } = state
  const others = initial === undefined ? [] : Object.keys(states).filter((key) => key !== initial)
  return [
    ...others.map((other): Draft => {
      const words = `${name}: initial ${initial} becomes ${other}`
      return { operator: 'target changed', place, words, change: (copy) => void (copy.initial = other) }
    }),
    ...(['entry', 'exit'] as const).flatMap((key) =>
      (state[key] ?? []).map((action, index): Draft => {
        const words = `${name}: ${key} without ${nameOf(action)}`
        return {
          operator: 'action removed',
          place,
          words,
          change: (copy) => void (copy[key] = without(copy[key], index)),
        }
      }),
    ),
    ...invoke.map(({ id }, index): Draft => {
      const words = `${name}: without invoke ${id}`
      return {
        operator: 'invoke removed',
        place,
        words,
        change: (copy) => void (copy.invoke = without(copy.invoke, index)),
      }
    }),
  ]
}

function draftsOfLists(config: StateConfig, path: readonly string[], state: StateConfig): readonly Draft[] {
  return listsOf(state).flatMap(({ event, candidates }, list) => {
    const name = `${path.join('.') || '(root)'} --${eventName(event)}`
    const at = (change: (candidates: Candidate[]) => void): Change => {
      return (copy) => change(listsOf(copy)[list]?.candidates ?? [])
    }
    return [
      ...candidates.flatMap((candidate, index) => {
        const place = { state: path.join('.'), event, index }
        const arrow = `${name}${candidates.length > 1 ? `#${index + 1}` : ''}`
        return draftsOfCandidate(config, path, candidate).map(({ operator, words, change }): Draft => {
          return { operator, place, words: `${arrow}: ${words}`, change: at((copies) => change(copies, index)) }
        })
      }),
      ...guardedPairs(candidates).map(([left, right]): Draft => {
        const words = `${name}: #${left + 1} and #${right + 1} swapped`
        const place = { state: path.join('.'), event, index: left }
        return { operator: 'order swapped', place, words, change: at((copies) => swap(copies, left, right)) }
      }),
    ]
  })
}

interface CandidateDraft {
  readonly operator: Operator
  readonly words: string
  change(candidates: Candidate[], index: number): void
}

function draftsOfCandidate(
  config: StateConfig,
  path: readonly string[],
  { target, guard, actions = [] }: Candidate,
): readonly CandidateDraft[] {
  const patch = (change: Partial<Candidate>) => (candidates: Candidate[], index: number) => {
    candidates[index] = { ...candidates[index], ...change }
  }
  const guardName = guard === undefined || typeof guard === 'function' ? '' : nameOf(guard)
  return [
    {
      operator: 'transition dropped',
      words: `${guardName === '' ? '' : `[${guardName}] `}dropped`,
      change: (candidates, index) => void candidates.splice(index, 1),
    },
    ...otherTargets(config, path, target).map((other): CandidateDraft => {
      return { operator: 'target changed', words: `${target} becomes ${other}`, change: patch({ target: other }) }
    }),
    ...(guard === undefined
      ? []
      : ([
          {
            operator: 'guard flipped',
            words: `[${guardName}] flipped`,
            change: patch({ guard: not(guard as never) }),
          },
          {
            operator: 'guard removed',
            words: `[${guardName}] removed`,
            change: (candidates, index) => void delete candidates[index]?.guard,
          },
        ] satisfies CandidateDraft[])),
    ...actions.map((action, index): CandidateDraft => {
      const words = `without ${nameOf(action)}`
      return { operator: 'action removed', words, change: patch({ actions: without(actions, index) }) }
    }),
  ]
}

function guardedPairs(candidates: readonly Candidate[]): readonly (readonly [number, number])[] {
  const guarded = candidates.flatMap(({ guard }, index) => (guard === undefined ? [] : [index]))
  return guarded.flatMap((left) => guarded.filter((right) => right > left).map((right) => [left, right] as const))
}

function swap(candidates: Candidate[], left: number, right: number): void {
  const [first, second] = [candidates[left], candidates[right]]
  if (first === undefined || second === undefined) throw new Error(`No candidates #${left + 1} and #${right + 1}.`)
  candidates[left] = second
  candidates[right] = first
}

function without<Item>(items: readonly Item[] | undefined, index: number): readonly Item[] {
  return (items ?? []).filter((_, other) => other !== index)
}
