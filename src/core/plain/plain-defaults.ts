import { isRecord, type Json, type JsonObject } from '../domain/text/json.ts'
import type { ContextDefaults } from '../runtime/persist.ts'

/** Returns a snapshot of an earlier version with its missing context fields set to the values of a run's start. */
export function withDefaults(snapshot: JsonObject, defaults: ContextDefaults, src = 'root'): JsonObject {
  const { context, children } = snapshot
  return {
    ...snapshot,
    ...(isRecord(context) ? { context: { ...defaults[src], ...context } } : {}),
    ...(isRecord(children) ? { children: mapped(children, defaults) } : {}),
  }
}

function mapped(children: { readonly [id: string]: unknown }, defaults: ContextDefaults): JsonObject {
  const entries = Object.entries(children).map(([id, child]): [string, Json] => {
    if (!isRecord(child) || !isRecord(child['snapshot'])) return [id, child as Json]
    const { src, snapshot } = child
    const whole = withDefaults(snapshot as JsonObject, defaults, typeof src === 'string' ? src : '')
    return [id, { ...child, snapshot: whole }]
  })
  return Object.fromEntries(entries)
}
