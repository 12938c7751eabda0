import type { ReviewCallInput } from '../../../../machines/tool-call/tool-call.types.ts'
import { callOf, type StateChange } from '../../domain/call.ts'
import type { Write } from '../../domain/log.ts'
import type { EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import { askPlugin, askToGoOn, listening } from '../ask-code.ts'
import { callContext, patchInto, seeingCall, stateWrites } from './plugin-context.ts'
import { checkedMessage } from './plain-input.ts'
import type { AgentParts } from '../agent-parts.ts'
import { askOnToolResult } from './ask-on-tool-value.ts'
import { toResultMessage, toToolResult } from '../tools/tool-result.ts'

/**
 * Asks the plugins at `reviewCall`. Each may append messages and rewrite the result of the one before it. Then asks at
 * `afterTool` if the call executed.
 */
export async function reviewCall(
  { plugins, pluginTimeoutMs }: AgentParts,
  { callId, hasExecuted = false }: ReviewCallInput,
  context: EffectContext,
): Promise<EffectResult<undefined>> {
  const bounds = { ...context, pluginTimeoutMs }
  const changes: StateChange[] = []
  const writes: Write[] = []
  let seen = context
  for (const plugin of listening(plugins, 'reviewCall')) {
    await askPlugin(plugin, 'reviewCall', bounds, ({ whileAsked, signal }) =>
      plugin.reviewCall?.({
        ...callContext(callId, undefined, { ...seen, signal }),
        patch: patchInto(changes, whileAsked),
        append: whileAsked((message) => void writes.push({ kind: 'append', message: checkedMessage(message) })),
        rewrite: whileAsked((returned) => {
          const call = callOf(seen.view, callId)
          if (call.status === 'suspended') return
          const { code } = call.result ?? {}
          const given = { ...(code === undefined ? {} : { code }), ...toToolResult(call.toolName, returned) }
          const taken = askOnToolResult(plugins, call, given)
          const rewritten = toResultMessage(call, taken, context.clock.now())
          writes.push({ kind: 'call', callId, patch: { result: rewritten } })
          seen = seeingCall(seen, { ...call, result: rewritten })
        }),
      }),
    )
  }
  if (hasExecuted) {
    await askToGoOn(plugins, 'afterTool', bounds, (plugin, { signal }) =>
      plugin.afterTool?.(callContext(callId, undefined, { ...seen, signal })),
    )
  }
  return { output: undefined, writes: [...writes, ...stateWrites(changes)] }
}
