/** A transition of a config, as it is written: a name, or an object of names. */
export interface EdgeConfig {
  target?: string
  guard?: string | { readonly type: string; readonly params?: unknown }
  actions?: unknown
  readonly [key: string]: unknown
}

/** The part of a chart's config that proofs read and change. */
export interface StateConfig {
  entry?: unknown
  exit?: unknown
  always?: EdgeConfig[]
  on?: Record<string, EdgeConfig[]>
  invoke?: InvokeConfig[]
  states?: Record<string, StateConfig>
  readonly initial?: string
  readonly type?: string
  readonly [key: string]: unknown
}

/** An invoked actor with its transitions. */
export interface InvokeConfig {
  readonly src: string
  readonly id: string
  onDone?: EdgeConfig[]
  onError?: EdgeConfig[]
  readonly [key: string]: unknown
}

/** One transition of a chart and where it stands. */
export interface ChartEdge {
  readonly chart: string
  /** Path of the state it leaves; empty for the root. */
  readonly from: string
  /** Event type as the interpreter has it; empty for `always`. */
  readonly event: string
  /** Its place among the transitions of that event. */
  readonly index: number
  readonly config: EdgeConfig
}

/** A deep copy of a config in which every transition is a list of objects; functions are kept. */
export function copyConfig(config: unknown): StateConfig {
  const { always, on, invoke, states, ...rest } = config as Record<string, unknown>
  return {
    ...(copied(rest) as object),
    ...(always === undefined ? {} : { always: listOf(always) }),
    ...(on === undefined ? {} : { on: mapped(on, listOf) }),
    ...(invoke === undefined ? {} : { invoke: (Array.isArray(invoke) ? invoke : [invoke]).map(copyInvoke) }),
    ...(states === undefined ? {} : { states: mapped(states, copyConfig) }),
  }
}

function copyInvoke({ onDone, onError, ...rest }: Record<string, unknown>): InvokeConfig {
  return {
    ...(copied(rest) as { src: string; id: string }),
    ...(onDone === undefined ? {} : { onDone: listOf(onDone) }),
    ...(onError === undefined ? {} : { onError: listOf(onError) }),
  }
}

function listOf(transitions: unknown): EdgeConfig[] {
  const list: readonly unknown[] = Array.isArray(transitions) ? transitions : [transitions]
  return list.map((item) => (typeof item === 'string' ? { target: item } : (copied(item) as EdgeConfig)))
}

function mapped<T>(record: unknown, copy: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record as object).map(([key, value]) => [key, copy(value)]))
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied)
  if (value === null || typeof value !== 'object') return value
  return mapped(value, copied)
}

/** Every state of a config with its path, the root first. */
export function statesOf(config: StateConfig, path = ''): readonly (readonly [string, StateConfig])[] {
  const children = Object.entries(config.states ?? {})
  return [[path, config], ...children.flatMap(([key, child]) => statesOf(child, path === '' ? key : `${path}.${key}`))]
}

/** Every transition of a copied config, in the order of the chart. */
export function edgesOf(chart: string, config: StateConfig): readonly ChartEdge[] {
  return statesOf(config).flatMap(([from, state]) =>
    listsOf(state).flatMap(([event, list]) =>
      list.map((edge, index): ChartEdge => ({ chart, from, event, index, config: edge })),
    ),
  )
}

/** The lists of transitions of one state, by event. */
export function listsOf({ on = {}, always, invoke = [] }: StateConfig): readonly (readonly [string, EdgeConfig[]])[] {
  return [
    ...Object.entries(on),
    ...invoke.flatMap(({ id, onDone, onError }): [string, EdgeConfig[]][] => [
      ...(onDone === undefined ? [] : [[`xstate.done.actor.${id}`, onDone] as [string, EdgeConfig[]]]),
      ...(onError === undefined ? [] : [[`xstate.error.actor.${id}`, onError] as [string, EdgeConfig[]]]),
    ]),
    ...(always === undefined ? [] : [['', always] as [string, EdgeConfig[]]]),
  ]
}

/** A name for a transition that stays the same while the chart does. */
export function edgeId({ chart, from, event, index }: Omit<ChartEdge, 'config'>): string {
  return `${chart} ${from || '(root)'} ${eventName(event)} ${index + 1}`
}

/** An event in the words of the chart: `always`, `done(runTool)`, `call.cancel`. */
export function eventName(event: string): string {
  if (event === '') return 'always'
  const [, kind, id] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event) ?? []
  return kind === undefined ? event : `${kind}(${id})`
}

/** A guard with its literal parameters: `isAnswered(succeeded)`. */
export function guardName({ guard }: EdgeConfig): string {
  if (guard === undefined) return ''
  if (typeof guard === 'string') return guard
  const { type, params } = guard
  const text = typeof params === 'object' && params !== null ? Object.values(params).join(', ') : literals(params)
  return text === '' ? type : `${type}(${text})`
}

function literals(params: unknown): string {
  return typeof params === 'function'
    ? [...String(params).matchAll(/'([^']*)'/g)].map(([, text]) => text).join(', ')
    : ''
}
