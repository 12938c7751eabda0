import type { CallRecord } from '../../domain/call.ts'
import { hashOfCall } from '../../domain/grant.ts'
import { type Json, jsonBytes } from '../../domain/text/json.ts'
import type { Plugin } from '../../ports/plugin.ts'
import { askOnToolValue } from '../plugins/ask-on-tool-value.ts'

/** The maximum bytes of a call's arguments in the audit; larger arguments are hashed. */
const mostShown = 16_000

/**
 * Returns the arguments of a call for the audit, after the plugins have changed them as a question; none if a plugin
 * fails.
 */
export function shownArguments(plugins: readonly Plugin[], call: CallRecord, given: Json) {
  const argumentsHash = hashOfCall(call.toolName, given)
  if (jsonBytes(given) > mostShown) return { argumentsHash }
  try {
    const { parameters } = askOnToolValue(plugins, call, 'question', { parameters: given })
    return { argumentsHash, ...(parameters === undefined ? {} : { arguments: parameters }) }
  } catch {
    return { argumentsHash }
  }
}
