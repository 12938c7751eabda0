import { StateMachine } from 'xstate'

/** A name with its parameters, as configs hold actions and guards. */
export type Named = string | { readonly type: string; readonly params?: unknown }

/** One candidate of an event, an `always` or an `onDone`. */
export interface Candidate {
  target?: string
  guard?: unknown
  actions?: readonly Named[]
}

export interface Invocation {
  readonly id: string
  onDone?: Candidate[]
}

/** A state of a config in one spelling: lists are lists, targets are objects. */
export interface StateConfig {
  initial?: string
  entry?: readonly Named[]
  exit?: readonly Named[]
  always?: Candidate[]
  on?: { [event: string]: Candidate[] }
  invoke?: readonly Invocation[]
  states?: { [key: string]: StateConfig }
}

/** A machine as far as it can be built again. */
export interface Buildable {
  readonly id: string
  readonly config: unknown
  readonly implementations: unknown
}

/** A cycle of transitions without events ends with an error after as many microsteps. */
const maxIterations = 500

/** Copies a config and brings it into one spelling, which changes nothing of what it means. */
export function copyConfig({ config }: Buildable): StateConfig {
  return copyState(config as Raw)
}

/** The machine again, with another config and the same implementations. */
export function rebuild<M extends Buildable>(machine: M, config: StateConfig): M {
  return new StateMachine({ ...config, options: { maxIterations } } as never, machine.implementations as never) as never
}

/** The one place where a config's exact type is given up: XState infers a type of its own for every literal. */
interface Raw {
  readonly [key: string]: unknown
}

function copyState(raw: Raw): StateConfig {
  const copy: Record<string, unknown> = { ...raw }
  for (const key of ['entry', 'exit']) if (raw[key] !== undefined) copy[key] = [raw[key]].flat()
  if (raw['always'] !== undefined) copy['always'] = copyCandidates(raw['always'])
  if (raw['on'] !== undefined) copy['on'] = mapValues(raw['on'] as Raw, copyCandidates)
  if (raw['invoke'] !== undefined) copy['invoke'] = [raw['invoke']].flat().map(copyInvocation)
  if (raw['states'] !== undefined) copy['states'] = mapValues(raw['states'] as Raw, (state) => copyState(state as Raw))
  return copy
}

function copyInvocation(raw: unknown): Invocation {
  const copy = { ...(raw as Invocation) }
  return copy.onDone === undefined ? copy : { ...copy, onDone: copyCandidates(copy.onDone) }
}

function copyCandidates(raw: unknown): Candidate[] {
  return [raw].flat().map((candidate) => {
    if (typeof candidate === 'string') return { target: candidate }
    const { actions, ...rest } = candidate as Raw
    return actions === undefined ? rest : { ...rest, actions: [actions].flat() }
  })
}

function mapValues<Value>(raw: Raw, copy: (value: unknown) => Value): { [key: string]: Value } {
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, copy(value)]))
}

/** A state with the keys that lead to it from the root. */
export interface PlacedState {
  readonly path: readonly string[]
  readonly state: StateConfig
}

/** Every state of a config, parents before children. */
export function statesOf(state: StateConfig, path: readonly string[] = []): readonly PlacedState[] {
  const children = Object.entries(state.states ?? {})
  return [{ path, state }, ...children.flatMap(([key, child]) => statesOf(child, [...path, key]))]
}

/** Candidates that compete for one event of a state. */
export interface CandidateList {
  /** Event type as the interpreter names it; empty for `always`. */
  readonly event: string
  readonly candidates: Candidate[]
}

/** The candidate lists of a state. */
export function listsOf({ always, on = {}, invoke = [] }: StateConfig): readonly CandidateList[] {
  return [
    ...(always === undefined ? [] : [{ event: '', candidates: always }]),
    ...Object.entries(on).map(([event, candidates]) => ({ event, candidates })),
    ...invoke.flatMap(({ id, onDone }) =>
      onDone === undefined ? [] : [{ event: `xstate.done.actor.${id}`, candidates: onDone }],
    ),
  ]
}
