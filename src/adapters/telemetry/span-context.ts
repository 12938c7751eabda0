import type { SpanContext } from '@opentelemetry/api'

/** A span's place in a trace, as W3C's header has it. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 255).toString(16).padStart(2, '0')}`
}

/** The place that a well-formed header tells. */
export function spanContextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}
