import { isRecord, type Json } from './text/json.ts'

/** Where a piece of work belongs in a trace, as W3C's headers of these names say it. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

const form = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The trace in the stored input of a run; undefined where there is none that can be read. */
export function traceparentIn(input: Json): string | undefined {
  const traceparent = isRecord(input) ? input['traceparent'] : undefined
  return typeof traceparent === 'string' && form.test(traceparent) ? traceparent : undefined
}
