import type { StateChange } from '../domain/call.ts'
import { isRecord, type Json, type JsonObject } from '../domain/text/json.ts'
import { refusedKeys } from '../domain/text/parse-json.ts'

/** Applies changes in order to a copy. Missing objects on a path are created; other values there are replaced. */
export function applyChanges(state: Json, changes: readonly StateChange[]): Json {
  return changes.reduce((document: Json, change) => applyChange(document, change.path, change.value), state)
}

function applyChange(document: Json, path: readonly string[], value: Json | undefined): Json {
  const [key, ...rest] = path
  if (key === undefined) return value ?? null
  if (refusedKeys.has(key)) {
    throw new Error(`State path holds "${key}", which is refused. Use another key.`)
  }
  const object: JsonObject = isRecord(document) ? document : {}
  if (rest.length === 0 && value === undefined) {
    const { [key]: _, ...others } = object
    return others
  }
  return { ...object, [key]: rest.length === 0 ? (value ?? null) : applyChange(object[key] ?? {}, rest, value) }
}
