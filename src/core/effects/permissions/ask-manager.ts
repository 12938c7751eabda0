import type { AskManagerInput, ManagerVerdict } from '../../../../machines/run/run.permissions.ts'
import { argumentsOf, callOf, type CallRecord } from '../../domain/call.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import { maxArgumentBytes } from '../../domain/text/json-limits.ts'
import { parseJson } from '../../domain/text/parse-json.ts'
import { grantedBy, requestIn } from '../../domain/permission-request.ts'
import type { SentEvent } from '../../domain/service-event.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext, EffectHandler } from '../../ports/effect-handler.ts'
import type { PermissionAsk } from '../../ports/permissions.ts'
import type { AgentParts } from '../agent-parts.ts'
import { askAuthority, asksOf } from './authorise.ts'
import { holdFor } from '../hold-run.ts'
import { sentEvent } from '../tools/send-call.ts'
import { textOfResult } from '../tools/tool-result.ts'

const failed = '[Critical] Permission request failed'

/** Makes a request for the blocked calls of a round, or passes the answer to the manager and the model. */
export function askManager(parts: AgentParts): EffectHandler<AskManagerInput, ManagerVerdict> {
  return {
    kind: 'local',
    perform: async (input, context) => {
      try {
        return input.answered === undefined
          ? await requestFor(parts, input.requested, context)
          : await takeAnswer(parts, callOf(context.view, input.answered), input.why, context)
      } catch (error) {
        if (context.signal.aborted) throw error
        return { output: { error: { code: 'permission_failed', message: thrownText(error) }, at: context.clock.now() } }
      }
    },
  }
}

async function requestFor(parts: AgentParts, callIds: readonly string[], context: EffectContext) {
  const calls = callIds.map((callId) => callOf(context.view, callId))
  const asked = asksOf(
    calls.map((call) => ({ callId: call.callId, name: call.toolName, arguments: argumentsOf(call, context.view) })),
  )
  const request = await built(parts, asked, context)
  const tools = asked.map(({ name }) => name)
  const { write, plan } = holdFor(
    'permissions',
    {
      reason: 'permission',
      message: `Permission is asked for: ${tools.join(', ')}.`,
      parameters: { tools, request },
      responseSchema: {
        type: 'object',
        properties: { granted: { type: 'array', items: { enum: tools } } },
        additionalProperties: false,
      },
      ...sentRequest(parts, context),
    },
    context,
  )
  return { output: { holds: [plan], at: context.clock.now() }, writes: [write] }
}

/** Returns the event that carries the request to an external manager. */
function sentRequest({ name, permissions }: AgentParts, { run }: EffectContext): { readonly sends?: SentEvent } {
  const { contract, domains } = permissions?.manager ?? {}
  if (contract === undefined) return {}
  const sends = sentEvent(name, contract, run)
  return { sends: domains === undefined ? sends : { ...sends, domains } }
}

async function built(parts: AgentParts, asked: readonly PermissionAsk[], context: EffectContext) {
  const manager = parts.permissions?.manager
  if (manager === undefined) throw new Error(`${failed}: the agent has no permission manager any more.`)
  const given: unknown =
    manager.requestBuilder === undefined
      ? asked
      : await askAuthority(failed, parts, asked, context, (whose, shown) => manager.requestBuilder?.(whose, shown))
  const copied = copyJson(given, { mostBytes: maxArgumentBytes })
  if (copied.problem !== undefined) throw new Error(`${failed}: the request ${copied.problem}.`)
  return copied.value
}

async function takeAnswer(parts: AgentParts, hold: CallRecord, reason: string | undefined, context: EffectContext) {
  if (hasFailed(hold)) throw new Error(`${failed}: ${textOfResult(hold.result ?? { content: [] })}`)
  const { tools, request } = requestIn(hold)
  const granted = grantedIn(hold)
  const denied = tools.filter((name) => !granted.includes(name))
  const manager = parts.permissions?.manager
  const id = hold.suspension?.id ?? hold.callId
  const answer = { id, request, granted, denied, ...(reason === undefined ? {} : { reason }) }
  if (manager?.set !== undefined) {
    await askAuthority(failed, parts, answer, context, (whose, shown) => manager.set?.(whose, shown))
  }
  return {
    output: { at: context.clock.now() },
    writes: [{ kind: 'note' as const, text: noteFor(granted, denied, reason) }],
  }
}

/** Returns true if the external manager has answered that it failed. */
function hasFailed({ isSent, status, result }: CallRecord): boolean {
  return isSent === true && status === 'failed' && result?.isError === true
}

/** Only clear grants count. */
function grantedIn(hold: CallRecord): readonly string[] {
  const { result } = hold
  if (hold.status !== 'succeeded' || result === undefined || result.isError) return []
  const text = textOfResult(result)
  try {
    return grantedBy(requestIn(hold), text === '' ? null : parseJson(text)) ?? []
  } catch {
    return []
  }
}

function noteFor(granted: readonly string[], denied: readonly string[], reason: string | undefined): string {
  const parts = [
    ...(granted.length === 0 ? [] : [`Permission was granted for: ${granted.join(', ')}. You may call again.`]),
    ...(denied.length === 0 ? [] : [`Permission was denied for: ${denied.join(', ')}.`]),
    ...(reason === undefined ? [] : [`Reason: ${reason}`]),
  ]
  return `[${parts.join(' ')}]`
}
