import type { AgentOptions } from '../../core/agent/options.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Store } from '../../core/ports/store.ts'
import { memoryStore } from '../../core/stores/memory/memory-store.ts'
import {
  callback,
  checkedElsewhere,
  checkOptions,
  either,
  expecting,
  filledText,
  flag,
  listOf,
  number,
  optional,
  options,
  type OptionShape,
  wholeFrom,
} from '../../core/domain/text/option-shape.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import { defaultRates, type FaultKind, type FaultRates } from './faults.ts'
import type { Performance } from './ledger.ts'

/** The position of one process, which a source of agents receives. */
export interface SimulatedPlace<Outside = unknown> {
  /** The name of the process. */
  readonly name: string
  /** The clock of the process, which may differ from others. */
  readonly clock: Clock
  /** The outside, which outlives every process of one simulated run. */
  readonly outside: Outside
  /**
   * Sends a request outside over a simulated network: the request or its answer may be late or lost, and then it
   * throws.
   */
  request<Value>(act: () => Value | Promise<Value>): Promise<Value>
}

/** Agents as each new process creates them: their options, or a function that returns them. */
export type SimulatedAgents<Outside = unknown> =
  | AgentOptions
  | readonly AgentOptions[]
  | ((place: SimulatedPlace<Outside>) => AgentOptions | readonly AgentOptions[])

/** A rule that must hold after every step of a simulated run. */
export interface SimulationInvariant<Outside = unknown> {
  readonly name: string
  /** Returns the problem; undefined if the rule holds. `isOver` is true when every run is done. */
  readonly check: (seen: SimulatedView<Outside>) => string | undefined
}

/** A rule's view of a simulated run. */
export interface SimulatedView<Outside = unknown> {
  readonly outside: Outside
  /** Every performance of a tool, in the order in which they began. */
  readonly performances: readonly Readonly<Performance>[]
  readonly isOver: boolean
}

/** Options of `simulate`. */
export interface SimulationOptions<Outside = unknown> {
  /** The number of simulated runs of the world. Default 100. */
  readonly runs?: number
  /** The seed of the first of them; each further one has the next number. Default 1. */
  readonly seed?: number
  /** Probabilities of faults on one occasion, from 0 to 1; false for no faults. Default: a few in each run. */
  readonly faults?: Partial<FaultRates> | false
  /** Rules in addition to those of the engine. */
  readonly invariants?: readonly SimulationInvariant<Outside>[]
  /**
   * Makes what outlives every process of one simulated run, such as the books of a bank. `choose` returns a whole
   * number below a count, by the seed. Default: nothing.
   */
  readonly outside?: (choose: (count: number) => number) => Outside
  /**
   * Makes the store of one simulated run, which uses this clock and waits for nothing outside. Default: one in memory.
   */
  readonly store?: (clock: Pick<Clock, 'now'>) => Store
  /** Another version of the agents, deployed in the middle of some runs. Default: none. */
  readonly next?: SimulatedAgents<Outside>
  /** The prompt of each agent run. Default `Go.`. */
  readonly prompt?: string
  /** Choices that replace those of the seed, as a failure reports them. */
  readonly choices?: readonly number[]
  /** Ends the simulation at the first failure. Default: it plays all runs. */
  readonly untilFound?: boolean
}

/** The options of a simulation with their defaults applied. */
export interface SimulationSettings<Outside> extends Required<
  Pick<SimulationOptions<Outside>, 'invariants' | 'outside' | 'prompt' | 'store'>
> {
  readonly agents: (place: SimulatedPlace<Outside>) => readonly AgentOptions[]
  readonly next: ((place: SimulatedPlace<Outside>) => readonly AgentOptions[]) | undefined
  readonly rates: FaultRates
}

/** Reads the options of a simulation; throws a `UsageError` for an invalid one. */
export function readSettings<Outside>(
  agents: SimulatedAgents<Outside>,
  given: SimulationOptions<Outside>,
): SimulationSettings<Outside> {
  checkOptions('simulate', given, shape)
  const {
    next,
    faults = {},
    invariants = [],
    outside,
    prompt = 'Go.',
    store = (clock) => memoryStore({ clock }),
  } = given
  return {
    agents: listed(agents),
    next: next === undefined ? undefined : listed(next),
    rates: faults === false ? noFaults : { ...defaultRates, ...faults },
    invariants,
    // A user who leaves it out has no type for it either.
    outside: outside ?? (() => undefined as Outside),
    prompt,
    store,
  }
}

const isAgent = expecting('the options of an agent, a list of them, or a function that gives them', isRecord)

function listed<Outside>(agents: SimulatedAgents<Outside>): SimulationSettings<Outside>['agents'] {
  return (place) => {
    const list = [typeof agents === 'function' ? agents(place) : agents].flat()
    for (const agent of list) isAgent(agent, { field: 'agents', owner: 'simulate' })
    return list
  }
}

const names = Object.keys(defaultRates)
const rate = optional(number('a probability from 0 to 1', (value) => value >= 0 && value <= 1))
const noFaults = Object.fromEntries(names.map((name) => [name, 0])) as Record<FaultKind, number>
const rates = Object.fromEntries(names.map((name) => [name, rate])) as OptionShape<FaultRates>
const whole = wholeFrom(0)

const shape: OptionShape<SimulationOptions> = {
  runs: optional(whole),
  seed: optional(whole),
  faults: optional(either(false, options(rates))),
  invariants: optional(listOf(options<SimulationInvariant>({ name: filledText, check: callback }))),
  outside: optional(callback),
  store: optional(callback),
  next: checkedElsewhere,
  prompt: optional(filledText),
  choices: optional(listOf(whole)),
  untilFound: optional(flag),
}
