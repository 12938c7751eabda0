import type { EffectContext, RunView } from '../ports/effect-handler.ts'
import type { Tool } from '../ports/tool.ts'

/** Tools by the names a model calls them by. */
export type ToolTable = ReadonlyMap<string, Tool>

/** The tools of an agent, of every kind, as a run sees them: they change between its turns and never inside a round. */
export interface AgentTools {
  /** The tools of a model call and of the round after it. Opens and refreshes toolsets. */
  forTurn(context: EffectContext): ToolTable | Promise<ToolTable>
  /** Those of the turn before; of a run that has had no turn in this process, those there are. */
  inRound(view: RunView): ToolTable | Promise<ToolTable>
  /** One of them as its source has it by now, which the round goes on with; undefined if there is none. */
  asOfNow(name: string, context: EffectContext): Tool | undefined | Promise<Tool | undefined>
}
