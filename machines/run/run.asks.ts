import type { ContextAnswered, ContextAsked, FilterAsked, FilterVerdict, RecallAsked } from './run.input-types.ts'
import type { LoopAsk, PhaseVerdict } from './run.types.ts'

/** The question that a run asks its plugins in a phase. */
export type RunAsk = LoopAsk | FilterAsked | RecallAsked | ContextAsked

/** The joined answer of all plugins in a phase of a run. */
export interface AskVerdict extends PhaseVerdict, FilterVerdict, ContextAnswered {}
