import type * as OpenTelemetry from '@opentelemetry/api'
import { loadPackage } from '../../core/domain/load-package.ts'

/** The loaded API of OpenTelemetry. */
export type Api = Pick<
  typeof OpenTelemetry,
  'context' | 'isSpanContextValid' | 'metrics' | 'SpanKind' | 'SpanStatusCode' | 'trace'
>

/** Loads OpenTelemetry's API on first use; if it is missing, the error explains how to install it. */
export function loadApi(): Promise<Api> {
  return loadPackage('@opentelemetry/api', () => import('@opentelemetry/api'))
}
