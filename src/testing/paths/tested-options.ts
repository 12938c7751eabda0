import type { AgentOptions } from '../../core/agent/options.ts'
import type { ToolTypeOf } from '../../core/agent/tool-types.ts'
import type { Json } from '../../core/domain/text/json.ts'
import type { Tool } from '../../core/ports/tool.ts'
import type { Toolset } from '../../core/ports/toolset.ts'

/** An agent's own options, with the options of its generated tests. */
export interface AgentUnderTest<List extends readonly (Tool | Toolset)[] = readonly (Tool | Toolset)[]> extends Omit<
  AgentOptions<List>,
  'model' | 'fallbackModels' | 'store' | 'clock' | 'ids' | 'leaseMs' | 'inspect'
> {
  /**
   * Names of the tools that a model calls in one turn, for each tested turn. Default: each tool and service alone, and
   * the first two together.
   */
  readonly turns?: readonly (readonly string[])[]
  /** Arguments by tool name; a turn is tested once for each. Default: one value generated from the tool's schema. */
  readonly samples?: { readonly [ToolName in ToolTypeOf<List[number]>['name']]?: readonly Json[] }
  /** Data by type of contract; a turn is tested once for each. Default: data that the contract accepts. */
  readonly serviceSamples?: { readonly [type: string]: readonly Json[] }
  /** Names of tools that must never run without an approval, regardless of their `needs`. */
  readonly mustAsk?: readonly ToolTypeOf<List[number]>['name'][]
  /** The tools of each toolset, by its name; no toolset is opened in these tests. */
  readonly standIns?: { readonly [toolset: string]: readonly Tool[] }
  /** `real` executes the tools, also again after a crash. Default: scripted tools that succeed, fail and suspend. */
  readonly execute?: 'real' | 'scripted'
}
