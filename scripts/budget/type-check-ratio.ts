import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { medianRatio } from './median-ratio.ts'
import { runCommand } from './run-command.ts'
import { schemasProgram, toolsProgram } from './programs.ts'

/** Returns the processor time of type-checking 60 tools of an agent, divided by the time for their bare schemas. */
export function typeCheckRatio(project: string): number {
  const timeOf = (name: string) => checkTime(join(project, name))
  writeProgram(join(project, 'schemas'), schemasProgram(60))
  writeProgram(join(project, 'tools'), toolsProgram(60))
  return medianRatio(
    9,
    () => timeOf('tools'),
    () => timeOf('schemas'),
  )
}

function writeProgram(folder: string, text: string): void {
  mkdirSync(folder)
  writeFileSync(join(folder, 'program.ts'), text)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
}

/** The compiler options of a user. */
const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
  module: 'nodenext',
  types: ['node'],
  typeRoots: [resolve('node_modules/@types')],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
}

/**
 * Returns the seconds of processor time. The compiler is a separate program, so the shell that started it reports its
 * time. One thread makes the time independent of the number of free processors.
 */
function checkTime(folder: string): number {
  const tsc = resolve('node_modules/.bin/tsc')
  const printed = runCommand('sh', ['-c', '"$0" -p "$1" --singleThreaded && times', tsc, folder])
  const [user, system] = printed.trim().split('\n').at(-1)?.split(' ').map(secondsIn) ?? []
  if (user === undefined || system === undefined) throw new Error(`No times in ${JSON.stringify(printed)}.`)
  return user + system
}

/** Parses `1m2.5s` as seconds. */
function secondsIn(text: string): number {
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(text) ?? []
  if (minutes === undefined) throw new Error(`${JSON.stringify(text)} is no time; expected one like 0m1.25s.`)
  return Number(minutes) * 60 + Number(seconds)
}
