import { isRecord } from '../../src/core/domain/text/json.ts'
import { binaryFrame } from './bedrock-wire.ts'
import type { Frame } from './fault-server.ts'

/** One event of a stream: what it holds, and the same event with something else in it. */
interface Held {
  readonly value: unknown
  readonly filled: (value: unknown) => Frame
}

/** A stream with one of its values replaced. */
export interface Altered {
  /** The place of the value, e.g. `3.delta.text`. */
  readonly place: string
  readonly was: unknown
  readonly frames: readonly Frame[]
}

/** All streams that come of replacing one value, at any depth, by another of another kind. */
export function altered(frames: readonly Frame[], replacement: unknown): readonly Altered[] {
  const events = frames.flatMap(heldIn)
  return events.flatMap(({ value, filled }, number) =>
    placesIn(value)
      .filter(({ was }) => kindOf(was) !== kindOf(replacement))
      .map(({ path, was }) => ({
        place: [number, ...path].join('.'),
        was,
        frames: events.map((event, place) =>
          place === number ? filled(replaced(value, path, replacement)) : event.filled(event.value),
        ),
      })),
  )
}

function heldIn(frame: Frame): readonly Held[] {
  if (typeof frame !== 'string') return [binaryIn(frame)]
  return frame
    .split('\n\n')
    .filter((text) => text !== '')
    .map((text) => {
      const start = text.indexOf('data: ') + 'data: '.length
      const data = text.slice(start)
      if (data === '[DONE]') return { value: undefined, filled: () => `${text}\n\n` }
      return { value: JSON.parse(data), filled: (value) => `${text.slice(0, start)}${JSON.stringify(value)}\n\n` }
    })
}

function binaryIn(frame: Uint8Array): Held {
  const bytes = Buffer.from(frame)
  const end = 12 + bytes.readUInt32BE(4)
  const value: unknown = JSON.parse(bytes.subarray(end, -4).toString())
  return { value, filled: (given) => binaryFrame(bytes.subarray(12, end), JSON.stringify(given)) }
}

type Path = readonly (string | number)[]

/** Every value below the whole, lists and objects included. */
function placesIn(value: unknown, path: Path = []): readonly { readonly path: Path; readonly was: unknown }[] {
  const own = path.length === 0 ? [] : [{ path, was: value }]
  return [...own, ...childrenOf(value).flatMap(([key, child]) => placesIn(child, [...path, key]))]
}

function childrenOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((child: unknown, index) => [index, child])
  return isRecord(value) ? Object.entries(value) : []
}

function replaced(value: unknown, [key, ...rest]: Path, replacement: unknown): unknown {
  if (key === undefined) return replacement
  if (Array.isArray(value)) {
    return value.map((child: unknown, index) => (index === key ? replaced(child, rest, replacement) : child))
  }
  if (!isRecord(value)) return value
  return { ...value, [key]: replaced(value[key], rest, replacement) }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}
