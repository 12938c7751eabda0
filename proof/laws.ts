import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FaultPlayer } from './laws/fault-player.ts'
import { isTestFile, planted, type PlantedFault } from './laws/planted-fault.ts'
import { plantedFaults } from './laws/planted-faults.ts'
import { root } from './mutants-source/all-mutants.ts'
import { copyTree, removeTree } from './mutants-source/copy-tree.ts'
import { TypeCheck } from './mutants-source/type-check.ts'
import { parseFlags } from './support/parse-flags.ts'
import { hasPostgres, sayNoPostgres } from './support/postgres-server.ts'

const { only = '', json } = parseFlags('laws', {}, [], ['only'])
const start = performance.now()
const asked = only === '' ? undefined : new Set(only.split(',').map(Number))
const chosen = plantedFaults.filter(({ decision }) => asked?.has(decision) !== false)
sayNoPostgres('faults of Postgres:')
const faults = chosen.filter(({ needsPostgres }) => needsPostgres !== true || hasPostgres)

const copy = copyTree(root)
const types = new TypeCheck(copy.root)
const player = new FaultPlayer(copy)
const leave = () => {
  player.stop()
  types.close()
  removeTree(copy)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    leave()
    process.exit(1)
  })

const unnoticed: string[] = []
const standing = new Map<string, string>()
for (const check of new Set(faults.map((fault) => fault.check))) {
  const end = await player.check(check)
  console.log(`${end.kind} as it is: ${check}`)
  if (end.kind !== 'passed') standing.set(check, end.kind === 'failed' ? end.by : end.why)
}
for (const [check, why] of standing) console.error(`fails without any fault, and judges nothing: ${check}: ${why}`)
for (const fault of faults) {
  const line = `${fault.decision}. ${fault.bends}`
  const problem = await problemOf(fault)
  if (problem !== undefined) unnoticed.push(line)
  console.log(problem === undefined ? `noticed by ${fault.check}: ${line}` : `UNNOTICED, ${problem}: ${line}`)
}
leave()

const laws = new Set(faults.map(({ decision }) => decision)).size
const noticed = faults.length - unnoticed.length
const skipped = chosen.length - faults.length
const seconds = Math.round((performance.now() - start) / 100) / 10
console.log(
  `laws: ${laws} decisions, ${noticed} of ${faults.length} planted faults noticed, ${skipped} skipped (${seconds} s)`,
)
if (json) console.log(JSON.stringify({ laws, planted: faults.length, noticed, unnoticed, skipped, seconds }))
process.exitCode = unnoticed.length === 0 && faults.length > 0 ? 0 : 1

/** Why a fault counts as unnoticed; undefined where its check fails, and fails because of it. */
async function problemOf(fault: PlantedFault): Promise<string | undefined> {
  if (standing.has(fault.check)) return 'its check fails without it'
  const text = planted(fault, readFileSync(join(copy.root, fault.file), 'utf8'))
  // A fault that the compiler would refuse anyway proves nothing about a test.
  const isCompiled = isTestFile(fault.check) && /^(src|machines)\//.test(fault.file)
  if (text !== undefined && isCompiled && !types.compiles(fault.file, text)) return 'it does not compile'
  const end = await player.play(fault)
  if (end.kind === 'failed') console.log(`  ${end.by}`)
  if (end.kind === 'lost') return end.why
  return end.kind === 'passed' ? `${fault.check} passes` : undefined
}
