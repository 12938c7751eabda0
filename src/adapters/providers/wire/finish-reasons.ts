import { outage } from './failure.ts'
import { type Ending, refused } from './finished-answer.ts'

type Meaning = 'stop' | 'length' | 'refused' | 'unreadable' | 'outage'

/** Reasons to stop by their meaning: those that the wires define, and those that compatible servers and gateways send. */
const reasonsOf: Readonly<Record<Meaning, string>> = {
  stop:
    'stop end_turn stop_sequence stop_token tool_use tool_call tool_calls function_call eos eos_token end ' +
    'complete completed finished natural compaction',
  // The last four end in the middle too: the answer is to be continued.
  length:
    'length max_tokens max_output_tokens max_length model_length token_limit incomplete ' +
    'model_context_window_exceeded context_length_exceeded pause_turn continuation',
  refused:
    'content_filter content_filtered guardrail_intervened refusal refused safety recitation language blocklist ' +
    'prohibited_content spii image_safety image_prohibited_content image_recitation',
  unreadable:
    'malformed_function_call unexpected_tool_call malformed_response malformed_model_output malformed_tool_use',
  outage:
    'error network_error server_error internal_error internal_server_error upstream_error overloaded timeout ' +
    'insufficient_system_resource failed abort aborted',
}

const meaningOf: ReadonlyMap<string, Meaning> = new Map(
  (['stop', 'length', 'refused', 'unreadable', 'outage'] as const).flatMap((meaning) =>
    reasonsOf[meaning].split(' ').map((reason) => [reason, meaning] as const),
  ),
)

/**
 * Returns the meaning of a wire's stop reason. Only the letters of a reason count: `MAX_TOKENS` and `max-tokens` are
 * the same. An outage is thrown, so that the model is asked again. An answer with an unknown reason is kept, with a
 * warning. `explanation` is the provider's own text for a refusal.
 */
export function endingFor(provider: string, reason: string, explanation?: string): Ending {
  const meaning = meaningOf.get(reason.toLowerCase().replaceAll(/[\s-]/g, '_'))
  switch (meaning) {
    case 'stop':
    case 'length':
      return { stopReason: meaning }
    case 'refused':
      return refused(explanation ?? `the answer was stopped (${reason}).`)
    case 'unreadable':
      return { stopReason: 'error', errorMessage: `The model gave an answer that cannot be read (${reason}).` }
    case 'outage':
      throw outage(reason)
    case undefined:
      return {
        stopReason: 'stop',
        errorMessage: `${provider} stopped for an unknown reason: "${reason.slice(0, 100)}".`,
      }
    default:
      return meaning satisfies never
  }
}
