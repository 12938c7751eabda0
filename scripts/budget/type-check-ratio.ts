import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { medianRatio } from './median-ratio.ts'
import { runCommand } from './run-command.ts'
import { schemasProgram, toolsProgram } from './programs.ts'

/** Processor time to type-check 60 tools of an agent, over that for their bare schemas. */
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

/** What a user compiles with. */
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
 * Seconds of processor time: the compiler is a program of its own, whose time only the shell that started it knows.
 * One thread, or the time would depend on how many processors are free.
 */
function checkTime(folder: string): number {
  const tsc = resolve('node_modules/.bin/tsc')
  const printed = runCommand('sh', ['-c', '"$0" -p "$1" --singleThreaded && times', tsc, folder])
  const [user, system] = printed.trim().split('\n').at(-1)?.split(' ').map(secondsIn) ?? []
  if (user === undefined || system === undefined) throw new Error(`No times in ${JSON.stringify(printed)}.`)
  return user + system
}

/** Reads `1m2.5s`. */
function secondsIn(text: string): number {
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(text) ?? []
  if (minutes === undefined) throw new Error(`${JSON.stringify(text)} is no time; expected one like 0m1.25s.`)
  return Number(minutes) * 60 + Number(seconds)
}
