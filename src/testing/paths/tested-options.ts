import type { AgentOptions } from '../../core/agent/options.ts'
import type { ToolTypeOf } from '../../core/agent/tool-types.ts'
import type { Json } from '../../core/domain/text/json.ts'
import type { Tool } from '../../core/ports/tool.ts'
import type { Toolset } from '../../core/ports/toolset.ts'

/** An agent's own options, and what its generated tests need beside them. */
export interface AgentUnderTest<List extends readonly (Tool | Toolset)[] = readonly (Tool | Toolset)[]> extends Omit<
  AgentOptions<List>,
  'model' | 'fallbackModels' | 'store' | 'clock' | 'ids' | 'leaseMs' | 'inspect'
> {
  /** Names of the tools a model calls in one turn, for each turn to be tested. Default: each tool and service alone, and the first two together. */
  readonly turns?: readonly (readonly string[])[]
  /** Arguments by tool name; a turn is tested once for each of them. Default: one made from the tool's schema. */
  readonly samples?: { readonly [ToolName in ToolTypeOf<List[number]>['name']]?: readonly Json[] }
  /** Data by type of contract; a turn is tested once for each of them. Default: data made from what the contract accepts. */
  readonly serviceSamples?: { readonly [type: string]: readonly Json[] }
  /** Names of tools that may never run without a yes, whatever their `needs` says. */
  readonly mustAsk?: readonly ToolTypeOf<List[number]>['name'][]
  /** The tools of each toolset, by its name: no toolset is opened here. */
  readonly standIns?: { readonly [toolset: string]: readonly Tool[] }
  /** `real` runs the tools themselves, again wherever a process dies; default: scripted ones that succeed, fail and suspend. */
  readonly execute?: 'real' | 'scripted'
}
