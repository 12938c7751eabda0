// Reads texts of charts from standard input, a JSON array, and writes what the official extractor sees of each: the
// config of its first machine, or null. It is a program of its own because the extractor prints whatever it skips.
import { readFileSync } from 'node:fs'
import { extractMachinesFromFile } from '@xstate/machine-extractor'

const configs = JSON.parse(readFileSync(0, 'utf8')).map(
  (text) => extractMachinesFromFile(text)?.machines[0]?.toConfig() ?? null,
)
console.log(JSON.stringify(configs, inWordsOfToday))

/** The extractor wraps the name of an action and calls a guard `cond`. */
function inWordsOfToday(_key, value) {
  if (value?.kind !== undefined && value.action !== undefined) return value.action.type ?? value.action.expr
  if (value?.cond === undefined) return value
  const { cond, ...rest } = value
  return { ...rest, guard: cond.type }
}
