import { isRecord } from '../domain/text/json.ts'
import { copyJson } from '../domain/text/json-copy.ts'
import { UsageError } from '../domain/text/usage-error.ts'

/** Short texts by name, by which a run can be found. */
export interface RunLabels {
  readonly [name: string]: string
}

const mostLabels = 20
const mostCharacters = 1_000

/** Returns labels in their stored form; throws a `UsageError` if they are not short texts. */
export function checkedLabels(labels: RunLabels): RunLabels {
  const wish = `Expected at most ${mostLabels} texts of at most ${mostCharacters} characters, by name.`
  const copied = copyJson(labels, { isStrict: true })
  if (copied.problem !== undefined) throw new UsageError('bad_option', `The labels ${copied.problem}. ${wish}`)
  if (!isRecord(copied.value)) throw new UsageError('bad_option', `The labels are not a plain object. ${wish}`)
  const entries = Object.entries(copied.value)
  if (entries.length > mostLabels) throw new UsageError('bad_option', `${entries.length} labels were given. ${wish}`)
  const bad = entries.find(([name, value]) => name === '' || !isShortText(name) || !isShortText(value))
  if (bad === undefined) return copied.value as RunLabels
  throw new UsageError('bad_option', `Label ${JSON.stringify(bad[0].slice(0, 80))} is refused. ${wish}`)
}

/** Not every store returns a lone surrogate as it was given. */
function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= mostCharacters && value.isWellFormed()
}
