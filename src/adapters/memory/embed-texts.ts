import { thrownText } from '../../core/domain/text/thrown-text.ts'
import type { Embed } from '../../core/ports/memory.ts'
import { MemoryError } from './memory-error.ts'

const mostNumbers = 20_000

/** Returns the vector of one text, of length 1; throws a `MemoryError` if the model fails or gives anything else. */
export async function embedText(embed: Embed, text: string): Promise<Float32Array> {
  const given: unknown = await embed([text]).catch((cause: unknown) => {
    throw new MemoryError('embed_failed', `Option embed of the memory failed: ${thrownText(cause)}.`, { cause })
  })
  const vectors: readonly unknown[] = Array.isArray(given) ? given : []
  const vector = vectors.length === 1 ? vectors[0] : undefined
  const numbers =
    Array.isArray(vector) || vector instanceof Float32Array ? Float32Array.from(vector) : new Float32Array()
  const length = Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0))
  if (numbers.length <= mostNumbers && Number.isFinite(length) && length > 0)
    return numbers.map((value) => value / length)
  const wish = `Expected one list of 1 to ${mostNumbers} finite numbers for each text, not all of them 0.`
  throw new MemoryError('embed_failed', `Option embed of the memory gave no vector that can be compared. ${wish}`)
}

/** Returns the cosine of two vectors of length 1; undefined if they have different numbers of dimensions. */
export function cosine(left: Float32Array, right: Float32Array): number | undefined {
  if (left.length !== right.length) return undefined
  return left.reduce((sum, value, place) => sum + value * (right[place] ?? 0), 0)
}
