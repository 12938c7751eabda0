import { isRecord } from '../../core/domain/text/json.ts'
import * as is from '../../core/domain/text/option-shape.ts'
import { isText } from '../../core/domain/text/shape.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { Embed, FoundMemory, Memory, MemoryItem, MemoryQuery } from '../../core/ports/memory.ts'
import { MemoryError } from './memory-error.ts'
import type { MemoryOptions } from './memory-options.ts'
import type { MemoryRows, NewRow, StoredRow } from './memory-rows.ts'
import { ownerOf, textIn, wordsIn } from './memory-words.ts'
import { foundMemory, mergeRanks, newestFirst, within } from './rank-memories.ts'

const itemShape: is.OptionShape<MemoryItem> = {
  userId: is.filledText,
  kind: is.filledText,
  key: is.filledText,
  data: is.checkedElsewhere,
  at: is.number('a finite number of Unix milliseconds', Number.isFinite),
  session: is.optional(is.text),
}

const checkQuery = is.expecting(
  '{ userId, input } with two texts',
  (query) => isRecord(query) && isText(query['userId']) && isText(query['input']),
)

/** The rows that are read per result, because equal texts may fill several rows. */
const rowsAResult = 2

const mostEmbedded = 10_000

/** Creates a memory on tables. It checks additions and ranks the found memories. `place` names the memory in errors. */
export function memoryOnRows(rows: MemoryRows, options: MemoryOptions, place: string): Memory {
  async function known<Made>(work: () => Promise<Made>): Promise<Made> {
    try {
      return await work()
    } catch (cause) {
      if (cause instanceof UsageError || cause instanceof MemoryError) throw cause
      const problem = thrownText(cause).replace(/\.?$/, '.')
      throw new MemoryError('memory_failed', `The memory ${place} failed: ${problem}`, { cause })
    }
  }

  const { maxRows = 10_000, maxBytes = 64_000, limit = 10, limitBytes = 16_000, language = 'english', embed } = options
  return {
    query: (query) =>
      known(async () => {
        checkQuery(query, { field: 'query', owner: 'memory.query' })
        const found = await candidates(rows, query, { most: limit * rowsAResult, language, embed })
        return within(newestFirst(found).slice(0, limit), limitBytes)
      }),
    add: (item) =>
      known(async () => {
        const row = rowOf(item, maxBytes)
        const added = await rows.add(row, maxRows)
        // The words are stored even if the model fails; adding the memory again embeds it.
        if (embed !== undefined) await rows.addVector(added, await embedText(embed, row.text.slice(0, mostEmbedded)))
      }),
    forget: (userId) =>
      known(async () => {
        is.filledText(userId, { field: 'userId', owner: 'memory.forget' })
        return rows.forget(ownerOf(userId))
      }),
  }
}

function rowOf(item: MemoryItem, maxBytes: number): NewRow {
  is.checkOptions('memory.add', item, itemShape)
  const { userId, kind, data, key, at, session = null } = item
  const json = JSON.stringify(data)
  const bytes = json === undefined ? 0 : Buffer.byteLength(json)
  if (json === undefined || bytes > maxBytes) {
    const what = json === undefined ? 'is not JSON' : `has ${bytes} bytes`
    throw new UsageError(
      'bad_option',
      `The data of memory "${key}" ${what}. Expected JSON of at most ${maxBytes} bytes.`,
    )
  }
  return { owner: ownerOf(userId), kind, key, json, text: textIn(data), at, session }
}

interface Finding extends Required<Pick<MemoryOptions, 'language'>> {
  readonly most: number
  readonly embed: Embed | undefined
}

async function candidates(
  rows: MemoryRows,
  { userId, input }: MemoryQuery,
  { most, language, embed }: Finding,
): Promise<readonly FoundMemory[]> {
  const owner = ownerOf(userId)
  const words = wordsIn(input, language)
  const byWords = words.length === 0 ? [] : await rows.search(owner, words, most)
  if (embed === undefined || input.trim() === '') return byWords.map(foundMemory)
  // A model that fails costs the search by meaning, not the one by words.
  const vector = await embedText(embed, input.slice(0, mostEmbedded)).catch(() => undefined)
  const byMeaning = vector === undefined ? [] : await nearest(rows, owner, vector, most)
  const known = new Map<number, StoredRow>(byWords.map((row) => [row.number, row]))
  const others = byMeaning.filter((row) => !known.has(row))
  for (const row of others.length === 0 ? [] : await rows.rows(owner, others)) known.set(row.number, row)
  const merged = mergeRanks([byWords.map((row) => row.number), byMeaning])
  return merged
    .slice(0, most)
    .flatMap((row) => known.get(row) ?? [])
    .map(foundMemory)
}

async function nearest(
  rows: MemoryRows,
  owner: string,
  vector: Float32Array,
  most: number,
): Promise<readonly number[]> {
  let best: (readonly [number: number, score: number])[] = []
  for await (const part of rows.vectors(owner)) {
    const scored = part.flatMap(([row, other]) => {
      const score = cosine(vector, other)
      return score === undefined ? [] : [[row, score] as const]
    })
    best = [...best, ...scored].toSorted(([, left], [, right]) => right - left).slice(0, most)
  }
  return best.map(([row]) => row)
}

const mostNumbers = 20_000

/** Returns the vector of one text, of length 1; throws a `MemoryError` if the model fails or returns anything else. */
async function embedText(embed: Embed, given: string): Promise<Float32Array> {
  const made: unknown = await embed([given]).catch((cause: unknown) => {
    throw new MemoryError('embed_failed', `Option embed of the memory failed: ${thrownText(cause)}.`, { cause })
  })
  const vectors: readonly unknown[] = Array.isArray(made) ? made : []
  const vector = vectors.length === 1 ? vectors[0] : undefined
  const numbers =
    Array.isArray(vector) || vector instanceof Float32Array ? Float32Array.from(vector) : new Float32Array()
  const length = Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0))
  if (numbers.length <= mostNumbers && Number.isFinite(length) && length > 0)
    return numbers.map((value) => value / length)
  const wish = `Expected one list of 1 to ${mostNumbers} finite numbers for each text, not all of them 0.`
  throw new MemoryError('embed_failed', `Option embed of the memory returned no vector that can be compared. ${wish}`)
}

/** Returns the cosine of two vectors of length 1; undefined if they have different numbers of dimensions. */
function cosine(left: Float32Array, right: Float32Array): number | undefined {
  if (left.length !== right.length) return undefined
  return left.reduce((sum, value, place) => sum + value * (right[place] ?? 0), 0)
}
