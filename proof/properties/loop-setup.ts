import { constant, constantFrom, integer, oneof, record as recordOf, type Arbitrary } from 'fast-check'
import { type Tone, tones } from './spoken.ts'

/** The hooks a sequence listens with, one at a time. */
export type LoopHookName =
  | 'beforeRun'
  | 'afterRun'
  | 'beforeTurn'
  | 'afterTurn'
  | 'beforeTool'
  | 'afterTool'
  | 'onError'

/** One hook of the application; what it says, it says in the same places in every process. */
export interface HookSetup {
  readonly name: LoopHookName
  /** Which turn it means; hooks that are told no turn count messages. */
  readonly at: number
  readonly says: 'nothing' | 'no' | 'throw'
}

/** A plugin that ends the run. */
export interface EndingSetup {
  readonly phase: 'runStart' | 'stepStart' | 'beforeModel' | 'afterModel'
  /** The turn it ends the run before, or, after inference, behind. */
  readonly at: number
  readonly code: 'enough' | null
}

/** The code around the loop of a sequence's agent. */
export interface LoopSetup {
  /** Of the first prompt. */
  readonly tone: Tone
  readonly isFiltered: boolean
  /** True where answers have an output contract. */
  readonly isChecked: boolean
  readonly hook: HookSetup | null
  readonly ending: EndingSetup | null
}

const seldom = (no: number, yes: number) =>
  oneof({ weight: no, arbitrary: constant(false) }, { weight: yes, arbitrary: constant(true) })

const hook: Arbitrary<HookSetup> = recordOf({
  name: constantFrom<LoopHookName[]>(
    'beforeRun',
    'afterRun',
    'beforeTurn',
    'beforeTurn',
    'afterTurn',
    'beforeTool',
    'beforeTool',
    'afterTool',
    'onError',
  ),
  at: integer({ min: 1, max: 3 }),
  says: constantFrom('nothing', 'no', 'no', 'throw'),
})

const ending: Arbitrary<EndingSetup> = recordOf({
  phase: constantFrom('runStart', 'stepStart', 'beforeModel', 'afterModel', 'afterModel'),
  at: integer({ min: 1, max: 3 }),
  code: constantFrom('enough', null),
})

/** Filters, contracts, hooks and plugins; most agents have few of them. */
export const loopSetups: Arbitrary<LoopSetup> = recordOf({
  tone: oneof({ weight: 6, arbitrary: constant<Tone>('plain') }, { weight: 1, arbitrary: tones }),
  isFiltered: seldom(2, 1),
  isChecked: seldom(2, 1),
  hook: oneof({ weight: 2, arbitrary: constant(null) }, { weight: 1, arbitrary: hook }),
  ending: oneof({ weight: 4, arbitrary: constant(null) }, { weight: 1, arbitrary: ending }),
})
