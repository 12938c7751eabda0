import { isRecord, type Json } from '../../../core/domain/text/json.ts'
import type { Parameter } from './operation-arguments.ts'

/** One `name=value` of a query, both encoded. */
export type QueryPart = readonly [name: string, value: string]

type QueryRules = Pick<Parameter, 'name' | 'style' | 'explode' | 'isJson' | 'allowsReserved'>

/** Returns a value for a path, by style `simple`, `label` or `matrix`. */
export function pathText({ name, style, explode, isJson }: Parameter, value: Json): string {
  if (isJson) return encoded(JSON.stringify(value))
  const key = encoded(name)
  if (style === 'label') return `.${joined(value, explode ? '.' : ',', explode)}`
  if (style !== 'matrix') return joined(value, ',', explode)
  if (Array.isArray(value) && explode) return value.map((item: Json) => `;${key}=${encoded(textOf(item))}`).join('')
  if (isRecord(value) && explode)
    return pairsOf(value)
      .map(([part, item]) => `;${part}=${item}`)
      .join('')
  return `;${key}=${joined(value, ',', false)}`
}

/** Returns the query parts of a value, by style `form`, `spaceDelimited`, `pipeDelimited` or `deepObject`. */
export function queryParts(
  { name, style, explode, isJson, allowsReserved }: QueryRules,
  value: Json,
): readonly QueryPart[] {
  const code = allowsReserved ? reserved : encoded
  const key = encoded(name)
  if (isJson) return [[key, code(JSON.stringify(value))]]
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => code(textOf(item)))
    if (explode) return items.map((item) => [key, item])
    const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
    return items.length === 0 ? [] : [[key, items.join(separator)]]
  }
  if (!isRecord(value)) return [[key, code(textOf(value))]]
  if (style === 'deepObject') return deepParts(key, value, code)
  const pairs = pairsOf(value)
  if (explode) return pairs
  return pairs.length === 0 ? [] : [[key, pairs.flat().join(',')]]
}

/** Returns a header's value, by style `simple`. */
export function headerText({ explode, isJson }: Parameter, value: Json): string {
  if (isJson) return JSON.stringify(value)
  if (Array.isArray(value)) return value.map((item: Json) => textOf(item)).join(',')
  if (!isRecord(value)) return textOf(value)
  const entries = Object.entries(value as Record<string, Json>)
  return entries.map(([key, item]) => (explode ? `${key}=${textOf(item)}` : `${key},${textOf(item)}`)).join(',')
}

function deepParts(
  key: string,
  value: Readonly<Record<string, Json>>,
  code: (text: string) => string,
): readonly QueryPart[] {
  return Object.entries(value).flatMap(([part, item]): readonly QueryPart[] => {
    const inner = `${key}[${encoded(part)}]`
    if (Array.isArray(item)) return item.map((one: Json) => [inner, code(textOf(one))])
    return isRecord(item) ? deepParts(inner, item, code) : [[inner, code(textOf(item))]]
  })
}

function joined(value: Json, separator: string, explode: boolean): string {
  if (Array.isArray(value)) return value.map((item: Json) => encoded(textOf(item))).join(separator)
  if (!isRecord(value)) return encoded(textOf(value))
  return pairsOf(value)
    .map(([key, item]) => (explode ? `${key}=${item}` : `${key}${separator}${item}`))
    .join(separator)
}

function pairsOf(value: Readonly<Record<string, unknown>>): readonly QueryPart[] {
  return Object.entries(value as Record<string, Json>).map(([key, item]) => [encoded(key), encoded(textOf(item))])
}

/** Returns a value as text: a text unchanged, anything else as JSON. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Percent-encodes everything except letters, digits, `-`, `.`, `_` and `~` (RFC 3986). */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Works as `encoded`, but keeps the characters that RFC 3986 reserves, except those that would end the value. */
export function reserved(text: string): string {
  return encoded(text).replaceAll(/%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D|5B|5D)/g, (code) =>
    decodeURIComponent(code),
  )
}
