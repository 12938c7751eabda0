import { medianRatio } from './median-ratio.ts'
import { runCommand } from './run-command.ts'

/** Processor time of a process that imports the package, over that of one that imports nothing. */
export function importRatio(project: string): number {
  const timeOf = (program: string) => {
    const tell = 'const { user, system } = process.cpuUsage(); console.log(user + system)'
    return Number(runCommand(process.execPath, ['--input-type=module', '-e', `${program}\n${tell}`], project))
  }
  const imports = () => timeOf("await import('statewright')")
  const nothing = () => timeOf('')
  return medianRatio(15, imports, nothing)
}
