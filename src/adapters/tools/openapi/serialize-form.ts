import { isRecord, type Json } from '../../../core/domain/text/json.ts'
import type { FieldRules } from './request-body.ts'
import { encoded, type QueryPart, queryParts, reserved, textOf } from './serialize-parameter.ts'

/** An object as `application/x-www-form-urlencoded`; a field that is null is left out. */
export function formText(form: Readonly<Record<string, unknown>>, fields: ReadonlyMap<string, FieldRules>): string {
  const all = Object.entries(form as Record<string, Json>).filter(([, value]) => value !== null)
  const parts = all.flatMap(([name, value]) => fieldParts(name, value, fields.get(name) ?? {}))
  return parts.map(([name, text]) => `${name}=${text}`).join('&')
}

function fieldParts(name: string, value: Json, rules: FieldRules): readonly QueryPart[] {
  const { style, explode = style === 'form', allowsReserved = false, isJson = false } = rules
  if (style === 'deepObject') return deepParts(encoded(name), value, allowsReserved ? reserved : encoded)
  if (style !== undefined) return queryParts({ name, style, explode, isJson, allowsReserved }, value)
  const isList = Array.isArray(value) && !isJson
  return isList
    ? value.map((item: Json) => [encoded(name), encoded(textOf(item))])
    : [[encoded(name), encoded(textOf(value))]]
}

/** `name[key]` and `name[0]`, however deep: OpenAPI leaves lists open, and numbers are what most servers read. */
function deepParts(key: string, value: Json, code: (text: string) => string): readonly QueryPart[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => deepParts(`${key}[${index}]`, item, code))
  if (!isRecord(value)) return [[key, code(textOf(value))]]
  return Object.entries(value).flatMap(([part, item]) => deepParts(`${key}[${encoded(part)}]`, item, code))
}
