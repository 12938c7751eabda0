import { StateMachine } from 'xstate'

/** A name with its parameters, as configs hold actions and guards. */
export type Named = string | { readonly type: string; readonly params?: unknown }

/** A guard in a config: a proof may replace a guard's name with a function. */
export type GuardFunction = (...given: never) => unknown

/** One candidate transition of an event, of `always` or of an actor's end. */
export interface Candidate {
  target?: string
  guard?: Named | GuardFunction
  actions?: readonly Named[]
}

/** An invoked actor with its transitions. */
export interface Invocation {
  readonly id: string
  readonly src?: unknown
  onDone?: Candidate[]
  onError?: Candidate[]
}

/** A state of a config in normal form: lists are arrays and transitions are objects. */
export interface StateConfig {
  readonly type?: string
  initial?: string
  entry?: readonly Named[]
  exit?: readonly Named[]
  always?: Candidate[]
  on?: { [event: string]: Candidate[] }
  invoke?: readonly Invocation[]
  states?: { [key: string]: StateConfig }
}

/** A state with its path of keys from the root. */
export interface PlacedState {
  readonly path: readonly string[]
  readonly state: StateConfig
}

/** Candidates that compete for one event of a state. */
export interface CandidateList {
  /** Event type in XState's form; empty for `always`. */
  readonly event: string
  readonly candidates: Candidate[]
}

/** The limit of microsteps after which a cycle of transitions without events ends with an error. */
const maxIterations = 500

/** Raw config values. Only this file drops a config's exact type, because XState infers one for every literal. */
interface Raw {
  readonly [key: string]: unknown
}

/** Returns a deep copy of a config in normal form with the same meaning; functions are kept. */
export function copyConfig(config: unknown): StateConfig {
  const raw = config as Raw
  const copy: Record<string, unknown> = mapValues(raw, copied)
  for (const key of ['entry', 'exit']) if (raw[key] !== undefined) copy[key] = [copied(raw[key])].flat()
  if (raw['always'] !== undefined) copy['always'] = copyCandidates(raw['always'])
  if (raw['on'] !== undefined) copy['on'] = mapValues(raw['on'] as Raw, copyCandidates)
  if (raw['invoke'] !== undefined) copy['invoke'] = [raw['invoke']].flat().map(copyInvocation)
  if (raw['states'] !== undefined) copy['states'] = mapValues(raw['states'] as Raw, copyConfig)
  return copy
}

function copyInvocation(raw: unknown): Raw {
  const { onDone, onError, ...rest } = raw as Raw
  return {
    ...mapValues(rest, copied),
    ...(onDone === undefined ? {} : { onDone: copyCandidates(onDone) }),
    ...(onError === undefined ? {} : { onError: copyCandidates(onError) }),
  }
}

function copyCandidates(raw: unknown): Candidate[] {
  return [raw].flat().map((candidate) => {
    if (typeof candidate === 'string') return { target: candidate }
    const copy: Record<string, unknown> = mapValues(candidate as Raw, copied)
    if (copy['actions'] !== undefined) copy['actions'] = [copy['actions']].flat()
    return copy
  })
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied)
  return value === null || typeof value !== 'object' ? value : mapValues(value as Raw, copied)
}

function mapValues<Value>(raw: Raw, copy: (value: unknown) => Value): { [key: string]: Value } {
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, copy(value)]))
}

/** Rebuilds a machine from another config with the same implementations; endless loops become errors. */
export function rebuild<M extends { readonly implementations: unknown }>(machine: M, config: StateConfig): M {
  return new StateMachine({ ...config, options: { maxIterations } } as never, machine.implementations as never) as never
}

/** Returns every state of a config, parents before children. */
export function statesOf(state: StateConfig, path: readonly string[] = []): readonly PlacedState[] {
  const children = Object.entries(state.states ?? {})
  return [{ path, state }, ...children.flatMap(([key, child]) => statesOf(child, [...path, key]))]
}

/** Returns the candidate lists of a state, by event. */
export function listsOf({ on = {}, always, invoke = [] }: StateConfig): readonly CandidateList[] {
  return [
    ...Object.entries(on).map(([event, candidates]) => ({ event, candidates })),
    ...invoke.flatMap(({ id, onDone, onError }) => [
      ...(onDone === undefined ? [] : [{ event: `xstate.done.actor.${id}`, candidates: onDone }]),
      ...(onError === undefined ? [] : [{ event: `xstate.error.actor.${id}`, candidates: onError }]),
    ]),
    ...(always === undefined ? [] : [{ event: '', candidates: always }]),
  ]
}

/** Returns a name with its parameters if they are plain data: `checkpoint(UserMessage)`. */
export function nameOf(named: Named): string {
  if (typeof named === 'string') return named
  const { type, params } = named
  return typeof params === 'object' && params !== null ? `${type}(${Object.values(params).join(', ')})` : type
}

/** Returns an event's name in the charts' notation: `always`, `done(runTool)`, `call.cancel`. */
export function eventName(event: string): string {
  if (event === '') return 'always'
  return event.replace(/^xstate\.(done|error)\.actor\.(.+)$/, '$1($2)')
}
