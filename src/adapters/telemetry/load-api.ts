import type * as OpenTelemetry from '@opentelemetry/api'
import { missingPackage } from '../../core/domain/missing-package.ts'

/** The loaded API of OpenTelemetry. */
export type Api = Pick<
  typeof OpenTelemetry,
  'context' | 'isSpanContextValid' | 'metrics' | 'SpanKind' | 'SpanStatusCode' | 'trace'
>

/** Loads OpenTelemetry's API on first use; if it is missing, the error explains how to install it. */
export async function loadApi(): Promise<Api> {
  try {
    return await import('@opentelemetry/api')
  } catch (cause) {
    throw missingPackage('@opentelemetry/api', cause)
  }
}
