import { parseArgs } from 'node:util'
import { countEntered } from './footprint/count-entered.ts'
import { limits } from './footprint/limits.ts'
import { playRun } from './footprint/play-run.ts'

const { json, list } = parseArgs({ options: { json: { type: 'boolean' }, list: { type: 'boolean' } } }).values
const entered = await countEntered(playRun, playRun)
const files = entered.length
const functions = entered.reduce((sum, file) => sum + file.functions.length, 0)

if (list === true) {
  for (const file of entered.toSorted((left, right) => left.functions.length - right.functions.length))
    console.log(`${String(file.functions.length).padStart(4)} ${file.path}: ${file.functions.join(', ')}`)
}
console.log(
  `one run of two turns with one tool call enters ${functions} functions in ${files} files ` +
    `(at most ${limits.functions} in ${limits.files}, proof/footprint/limits.ts)`,
)
if (json === true) console.log(JSON.stringify({ files, functions, limits, entered }))
process.exitCode = files > 0 && files <= limits.files && functions <= limits.functions ? 0 : 1
