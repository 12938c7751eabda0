import type { ContextAnswered, ContextAsked, FilterAsked, FilterVerdict, RecallAsked } from './run.input-types.ts'
import type { LoopAsk, PhaseVerdict } from './run.types.ts'

/** What a run asks its plugins at a phase. */
export type RunAsk = LoopAsk | FilterAsked | RecallAsked | ContextAsked

/** What the plugins say together at a phase of a run. */
export interface AskVerdict extends PhaseVerdict, FilterVerdict, ContextAnswered {}
