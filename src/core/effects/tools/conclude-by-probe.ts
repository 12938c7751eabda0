import type { Performed, RunToolInput } from '../../../../machines/tool-call/tool-call.types.ts'
import type { CallRecord } from '../../domain/call.ts'
import type { EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { Tool } from '../../ports/tool.ts'
import type { AgentParts } from '../agent-parts.ts'
import { takingIn } from '../plugins/take-in.ts'
import { askProbe } from './ask-probe.ts'
import { concluded, interrupted, resultOf } from './conclude.ts'
import { ToolPerformance } from './tool-performance.ts'

const notDone = 'The probe says that the call has not acted.'

/**
 * Returns the end of a call whose earlier performance nobody saw end, as the tool's probe tells it. Returns undefined if the
 * call may run again.
 */
export async function concludeByProbe(
  parts: AgentParts,
  tool: Tool & Required<Pick<Tool, 'probe'>>,
  call: CallRecord,
  input: RunToolInput,
  context: EffectContext,
): Promise<EffectResult<Performed> | undefined> {
  const found = await askProbe(tool, call, input, context)
  if (found.status === 'notDone')
    return found.runAgain ? undefined : resultOf(call, interrupted(call, context, notDone))
  if (found.status === 'unknown') return resultOf(call, interrupted(call, context, found.evidence))
  const plugins = takingIn(parts.plugins)
  const performance = new ToolPerformance(input, call, context, { plugins, updates: undefined })
  const conclusion = await concluded(plugins, call, found.returned, performance, context)
  return resultOf(call, conclusion, { attempt: input.attempt })
}
