import { isRecord, type Json } from './text/json.ts'

/** The position of a piece of work in a trace, in the format of W3C's headers with these names. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

const form = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Returns the trace in a run's stored input, or undefined if there is no valid one. */
export function traceparentIn(input: Json): string | undefined {
  const traceparent = isRecord(input) ? input['traceparent'] : undefined
  return typeof traceparent === 'string' && form.test(traceparent) ? traceparent : undefined
}
