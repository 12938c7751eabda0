import type { Performed } from '../../../../machines/tool-call/tool-call.types.ts'
import { suspensionHead } from '../../domain/call-plan.ts'
import { type CallRecord, previewOf, type StateChange, stepsOf } from '../../domain/call.ts'
import { defined, canonicalJson, freezeDeep, hashText, type Json } from '../../domain/text/json.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { Suspension, SuspensionTicket } from '../../domain/suspension.ts'
import type { EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { Plugin } from '../../ports/plugin.ts'
import { Suspended, type ToolResult, type ToolReturn } from '../../ports/tool.ts'
import { checkedTicket } from '../plugins/plain-input.ts'
import { askOnToolValue, askOnToolResult } from '../plugins/ask-on-tool-value.ts'
import { isErrorResult, pendingTicket } from './held-to-output.ts'
import type { ToolPerformance } from './tool-performance.ts'
import { errorResult, toResultMessage, toToolResult } from './tool-result.ts'
import type { Conclusion } from './tool-retry.ts'

/** Returns the end of an effect, with the writes of its outcome. */
export function resultOf(
  { callId }: CallRecord,
  { output, patch }: Conclusion,
  numbered: Pick<Performed, 'attempt'> = {},
): EffectResult<Performed> {
  return { output: { ...output, ...numbered }, writes: [{ kind: 'call', callId, patch }] }
}

/** A conclusion with the result as the plugins have changed it. */
export interface Concluded extends Conclusion {
  readonly taken?: ToolResult
}

/** Throws if a plugin failed on the tool's value. */
export async function concluded(
  plugins: readonly Plugin[],
  call: CallRecord,
  returned: ToolReturn,
  performance: ToolPerformance,
  context: EffectContext,
): Promise<Concluded> {
  const given = givenBack(call, returned, performance)
  if ('ticket' in given) {
    const ticket = askOnToolValue(plugins, call, 'question', given.ticket)
    return suspendedBy({ reason: 'input', ...ticket, id: context.ids.next('sus') }, context)
  }
  const taken = plugins.length === 0 ? given.result : askOnToolResult(plugins, call, given.result)
  return finished(call, taken, given.changes, context)
}

type GivenBack =
  | { readonly ticket: SuspensionTicket }
  | { readonly result: ToolResult; readonly changes: readonly StateChange[] }

/** An unreadable return value is a failure of the tool. */
function givenBack(call: CallRecord, returned: ToolReturn, performance: ToolPerformance): GivenBack {
  try {
    const { neglectedStep } = performance
    if (neglectedStep !== undefined && !isErrorResult(returned)) throw new Error(neglectedStep)
    const ticket = returned instanceof Suspended ? returned.ticket : pendingTicket(returned)
    if (ticket !== undefined) return { ticket: checkedTicket(ticket) }
    const result = toToolResult(call.toolName, returned)
    return { result, changes: result.status === 'error' ? [] : performance.changes }
  } catch (error) {
    return { result: failure(call.toolName, error), changes: [] }
  }
}

function finished(
  call: CallRecord,
  taken: ToolResult,
  asked: readonly StateChange[],
  context: EffectContext,
): Concluded {
  const at = context.clock.now()
  const result = toResultMessage(call, taken, at)
  const changes = result.isError ? [] : asked
  const isPatching = changes.length > 0
  return {
    taken,
    output: {
      status: result.isError ? 'failed' : 'succeeded',
      resultHash: hashText(canonicalJson(result.content as unknown as Json)),
      ...(isPatching ? { paths: changes.map(({ path }) => path.map(escaped).join('/')) } : {}),
      at,
    },
    patch: freezeDeep({ result, ...(isPatching ? { patch: [...changes] } : {}) }),
  }
}

export function failure(toolName: string, error: unknown): ToolResult {
  return errorResult(`Tool "${toolName}" failed: ${thrownText(error)}`)
}

/** A slash in a key does not separate keys. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

function suspendedBy(suspension: Suspension, { clock }: EffectContext): Conclusion {
  return {
    output: { status: 'suspended', suspension: suspensionHead(suspension), at: clock.now() },
    patch: { suspension },
  }
}

/**
 * Returns the question about a call that may have run. What the call continued from is kept, because a retry needs it.
 */
export function interrupted(call: CallRecord, context: EffectContext, message?: string): Conclusion {
  const { parameters } = call.suspension ?? {}
  const steps = stepsOf(call).map(({ name }) => name)
  const suspension: Suspension = {
    id: context.ids.next('sus'),
    reason: 'interrupted',
    ...defined({ message, parameters }),
    ...previewOf(call),
    ...(steps.length === 0 ? {} : { steps }),
  }
  return suspendedBy(suspension, context)
}
