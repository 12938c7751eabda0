import { isRecord, type JsonObject } from './text/json.ts'
import { copyJson } from './text/json-copy.ts'
import { UsageError } from './text/usage-error.ts'

const maxMetadataBytes = 64_000

/** Returns a copy of the application's metadata; throws a `UsageError` for an invalid value. */
export function checkedMetadata(given: unknown): JsonObject {
  const copied = copyJson(given, { isStrict: true, mostBytes: maxMetadataBytes })
  if (copied.problem === undefined && isRecord(copied.value)) return copied.value
  const wish = `Expected a JSON object of at most ${maxMetadataBytes} bytes.`
  const problem = copied.problem ?? 'is not a plain object'
  throw new UsageError('bad_metadata', `The metadata ${problem}. ${wish}`)
}
