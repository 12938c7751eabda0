/**
 * Where in its chart a run or a call stops for somebody: a line of states that each ask or pass. In the chart of the run
 * a line is a compound of that name, and has one state named like the row, which leads to the state that asks.
 */
export type Line = 'opening' | 'before' | 'after' | 'ended' | 'telling' | 'closing' | 'toolCall'

/** The phases of plugins, in the order a run comes to them, and the line each stands in. */
export const pluginPhases = {
  runStart: 'opening',
  stepStart: 'before',
  beforeModel: 'before',
  afterModel: 'after',
  stepEnd: 'after',
  gateCall: 'toolCall',
  reviewCall: 'toolCall',
  runEnd: 'telling',
} as const satisfies { readonly [phase: string]: Line }

/** The hooks of the user's around the loop, and the line each stands in. */
export const loopHooks = {
  beforeRun: 'opening',
  beforeTurn: 'before',
  afterTurn: 'ended',
  afterRun: 'closing',
  onError: 'telling',
} as const satisfies { readonly [hook: string]: Line }

/** What else is asked of what comes in, and the line it stands in. */
export const preparations = {
  filterInput: 'opening',
  recall: 'opening',
  buildContext: 'opening',
} as const satisfies { readonly [name: string]: Line }

/** Everything a run may ask, with its line. */
export const lines = { ...pluginPhases, ...loopHooks, ...preparations } as const

/** What is asked between the resume gate and the model. */
export const beforeCall = (Object.keys(lines) as (keyof typeof lines)[]).filter((name) => lines[name] === 'before')
