import { parseArgs } from 'node:util'
import { coreAim, countCoreLines } from './footprint/core-lines.ts'
import { countFootprint, type EnteredFile } from './footprint/count-footprint.ts'
import { type FootprintLimit, limits } from './footprint/limits.ts'
import { factsOf } from './support/limit-facts.ts'

const { json, list } = parseArgs({ options: { json: { type: 'boolean' }, list: { type: 'boolean' } } }).values
const footprint = await countFootprint()
const { ours, steadyTurn } = footprint
const measured: readonly (readonly [FootprintLimit, number])[] = [
  [limits.ours.files, ours.files],
  [limits.ours.functions, ours.functions],
  [limits.ours.lines, ours.lines],
  [limits.all.functions, footprint.functions],
  [limits.steadyTurn.functions, steadyTurn.functions],
  [limits.steadyTurn.calls, steadyTurn.calls],
  [limits.steadyTurn.copyingCalls, steadyTurn.copyingCalls],
]

if (list === true) {
  console.log('A run of two turns enters')
  printEntered(footprint.entered)
  console.log('A steady turn enters')
  printEntered(steadyTurn.entered)
  console.log('Of these copy, freeze or serialise, with their calls')
  for (const { path, name, calls } of steadyTurn.copying) console.log(`${String(calls).padStart(4)} ${path}: ${name}`)
}
for (const [{ name, limit, asked, reason }, value] of measured) {
  const holds = isHeld(value, limit)
  const line = `${holds ? 'ok    ' : 'OVER  '} ${name.padEnd(46)}${String(value).padStart(6)}`
  const facts = factsOf({ value, limit, asked, isCount: true, holds })
  console.log([`${line}  limit ${limit}, asked ${asked}`, ...facts, ...(holds ? [] : [reason])].join('; '))
}
const core = { lines: countCoreLines(), aim: coreAim }
console.log(`core   ${'lines of the core and the charts'.padEnd(46)}${String(core.lines).padStart(6)}  aim ${core.aim}`)
if (json === true) console.log(JSON.stringify({ ...footprint, core, limits }))
process.exitCode = measured.every(([{ limit }, value]) => isHeld(value, limit)) ? 0 : 1

/** A count of nothing comes of a run that was not seen. */
function isHeld(value: number, limit: number): boolean {
  return value > 0 && value <= limit
}

function printEntered(files: readonly EnteredFile[]): void {
  for (const { path, functions } of files.toSorted((left, right) => left.functions.length - right.functions.length))
    console.log(`${String(functions.length).padStart(4)} ${path}: ${functions.join(', ')}`)
}
