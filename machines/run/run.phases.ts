/**
 * The name of a place in a chart where a run or a call stops to ask plugins: a line of states that each ask or pass. In
 * the run's chart a line is a compound state of that name. It has one state per phase, named like the phase, which
 * leads to the state that asks.
 */
export type Line = 'opening' | 'before' | 'after' | 'ended' | 'telling' | 'closing' | 'toolCall'

/** The name of something that a plugin may do in a phase. `stop` means answering false. */
export type Right =
  | 'stop'
  | 'patch'
  | 'append'
  | 'terminate'
  | 'suspend'
  | 'addMessages'
  | 'chooseTools'
  | 'override'
  | 'rewrite'

interface Row {
  /** The line that contains the phase; null for a phase that an effect asks by itself, without a state. */
  readonly line: Line | null
  /** The phase whose state asks it; absent if the phase has a state of its own. */
  readonly state?: string
  /** The rights of a plugin at the phase. A phase without this list is asked for a value: its member says which. */
  readonly rights?: readonly Right[]
}

/**
 * All phases in which a run asks its plugins, in order. Plugins are asked in their own order, each with the time limit
 * of a hook, except in `onToolValue`, which must answer at once.
 */
export const phases = {
  beforeRun: { line: 'opening', rights: ['stop'] },
  filterInput: { line: 'opening' },
  recall: { line: 'opening' },
  buildContext: { line: 'opening' },
  runStart: { line: 'opening', rights: ['patch', 'append', 'terminate', 'suspend'] },
  stepStart: { line: 'before', rights: ['patch', 'append', 'terminate'] },
  beforeModel: {
    line: 'before',
    rights: ['patch', 'append', 'terminate', 'addMessages', 'chooseTools', 'override'],
  },
  beforeTurn: { line: 'before', rights: ['stop'] },
  buildPrompt: { line: null },
  transformRequest: { line: null },
  onAnswer: { line: null },
  afterModel: { line: 'after', rights: ['patch', 'terminate'] },
  stepEnd: { line: 'after', rights: ['patch'] },
  gateCall: { line: 'toolCall', rights: ['patch'] },
  beforeTool: { line: 'toolCall', state: 'gateCall', rights: ['stop'] },
  onToolValue: { line: null },
  beforeUpdate: { line: null, rights: ['stop'] },
  afterUpdate: { line: null, rights: [] },
  reviewCall: { line: 'toolCall', rights: ['patch', 'append', 'rewrite'] },
  afterTool: { line: 'toolCall', state: 'reviewCall', rights: [] },
  afterTurn: { line: 'ended', rights: [] },
  onError: { line: 'telling', rights: [] },
  runEnd: { line: 'telling', rights: ['patch'] },
  afterRun: { line: 'closing', rights: [] },
} as const satisfies { readonly [phase: string]: Row }

/** The name of a phase. */
export type Phase = keyof typeof phases

/** The name of a phase around the loop or its turns, which receives only a context. */
export type LoopPhase = {
  [Name in Phase]: (typeof phases)[Name] extends { readonly line: Exclude<Line, 'toolCall'>; readonly rights: unknown }
    ? Name
    : never
}[Phase]

/** The names of all phases. */
export const phaseNames = Object.keys(phases) as readonly Phase[]

/** Returns the row of a phase. */
export function phaseRow(phase: Phase): Row {
  return phases[phase]
}

/** The phases between the resume gate and the model. */
export const beforeCall = phaseNames.filter((name) => phases[name].line === 'before')
