import type { EffectContext, RunView } from '../ports/effect-handler.ts'
import type { Tool } from '../ports/tool.ts'

/** Tools by the names by which a model calls them. */
export type ToolTable = ReadonlyMap<string, Tool>

/** All tools of an agent, as a run sees them. They change between its turns, but never within a round. */
export interface AgentTools {
  /** The tools of a model call and of the round after it. Opens and refreshes toolsets. */
  forTurn(context: EffectContext): ToolTable | Promise<ToolTable>
  /** The tools of the previous turn; for a run without a turn in this process, the current ones. */
  inRound(view: RunView): ToolTable | Promise<ToolTable>
  /** The current version of one of these tools, which the round continues with; undefined if it no longer exists. */
  asOfNow(name: string, context: EffectContext): Tool | undefined | Promise<Tool | undefined>
}
