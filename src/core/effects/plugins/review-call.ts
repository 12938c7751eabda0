import type { ReviewCallInput } from '../../../../machines/tool-call/tool-call.types.ts'
import { callOf, type StateChange } from '../../domain/call.ts'
import type { Write } from '../../domain/log.ts'
import type { EffectHandler } from '../../ports/effect-handler.ts'
import { askHook, askPlugin } from '../ask.ts'
import { callContext, seeingCall, stateWrites } from './plugin-context.ts'
import { checkedMessage } from './plain-input.ts'
import type { AgentParts } from '../agent-parts.ts'
import { takeInResult } from './take-in.ts'
import { toResultMessage, toToolResult } from '../tools/tool-result.ts'

/**
 * Phase reviewCall: plugins may rewrite the result, each the one before it left, and append messages; of a call that
 * executed the user's hook hears.
 */
export function reviewCall({
  plugins,
  hooks = {},
  hookTimeoutMs,
}: AgentParts): EffectHandler<ReviewCallInput, undefined> {
  return {
    kind: 'local',
    perform: async ({ callId, hasExecuted = false }, context) => {
      const bounds = { ...context, hookTimeoutMs }
      const { toolName, result } = callOf(context.view, callId)
      let isError = result?.isError ?? false
      const changes: StateChange[] = []
      const writes: Write[] = []
      let seen = context
      for (const plugin of plugins) {
        await askPlugin(plugin, 'reviewCall', bounds, ({ heard, signal }) =>
          plugin.reviewCall?.({
            ...callContext(callId, undefined, changes, { ...seen, signal }, heard),
            append: heard((message) => void writes.push({ kind: 'append', message: checkedMessage(message) })),
            rewrite: heard((returned) => {
              const call = callOf(seen.view, callId)
              if (call.status === 'suspended') return
              const { code } = call.result ?? {}
              const given = { ...(code === undefined ? {} : { code }), ...toToolResult(call.toolName, returned) }
              const taken = takeInResult(plugins, call, given)
              const rewritten = toResultMessage(call, taken, context.clock.now())
              writes.push({ kind: 'call', callId, patch: { result: rewritten } })
              seen = seeingCall(seen, { ...call, result: rewritten })
              isError = rewritten.isError
            }),
          }),
        )
      }
      if (hasExecuted) await askHook(hooks, 'afterTool', bounds, toolName, callId, isError)
      return { output: undefined, writes: [...writes, ...stateWrites(changes)] }
    },
  }
}
