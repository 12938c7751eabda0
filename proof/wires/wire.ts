import type { Model } from '../../src/core/ports/model.ts'
import type { Limiter } from '../../src/adapters/providers/limiter.ts'
import type { Usage } from '../../src/core/domain/usage.ts'
import type { Frame } from './fault-server.ts'

/** One time for all timestamps and Retry-After dates: 2026-11-22T00:00:00Z. */
export const now = Date.parse('2026-11-22T00:00:00Z')

/** Options all wires share. */
export interface WireOptions {
  readonly idleTimeoutMs?: number
  readonly apiKey?: string
  readonly fetch?: typeof globalThis.fetch
  readonly credentials?: (refresh: boolean) => string
  readonly limiter?: Limiter
}

/** Failures a server tells inside a stream, by what they are. */
export type FailureName = 'overloaded' | 'rateLimit' | 'auth' | 'overflow' | 'internal' | 'unknown'

/** The description of a wire for its tests. */
export interface Wire {
  readonly name: string
  /** The provider's name in messages. */
  readonly provider: string
  readonly keyVariable: string
  /** The place that a key error names. Default: the variable or the option apiKey. */
  readonly keySource?: string
  readonly terminal: string
  /** The description of a cut. Default: that the stream ended before the terminal event. */
  readonly cutMessage?: string
  /** The media type of its streams. Default `text/event-stream`. */
  readonly mediaType?: string
  readonly make: (url: string, options?: WireOptions) => Model
  /** Frames that give the text delta `Hel` and leave the answer open. */
  readonly opening: readonly Frame[]
  /** Frames that make `Hel` a whole `Hello`. */
  readonly closing: readonly Frame[]
  /** A whole answer: thinks `Two cities.`, says `Looking.`, asks for the weather in Oslo and in Rome. */
  readonly calls: readonly Frame[]
  /** A whole answer of one text, in one delta. */
  answer(text: string): readonly Frame[]
  /** A whole answer of one call, whose arguments are sent as the text they are given as. */
  call(text: string, id?: string, name?: string): readonly Frame[]
  /** A whole answer `Hel`, stopped at the token limit. */
  readonly cutOff: readonly Frame[]
  /** A whole answer without any content. */
  readonly empty: readonly Frame[]
  /** A frame of a kind that the wire has not got yet. */
  readonly unknown: Frame
  /** The usage of `calls`. */
  readonly usage: Usage
  /** Data that is JSON but not of the wire's shape. */
  readonly misshapen: string
  /** A frame whose data is given as it is. */
  raw(data: string): Frame
  /** A frame with an error event. */
  error(name: FailureName, message: string): Frame
  /** The requests that this wire does not support, with the reason. */
  readonly excused?: Readonly<Record<string, string>>
}

/** A frame of an event stream that holds JSON. */
export function dataFrame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

/** A frame of an event stream named by its type. */
export function namedFrame(event: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
