import { median } from '../../bench/median.ts'
import { runCommand } from './run-command.ts'

const rounds = 15

/** Processor time of a process that imports the package, beside one that imports nothing. */
export interface ImportTimes {
  /** Milliseconds by which it takes longer. */
  readonly beyond: number
  /** How many times as long it takes. */
  readonly ratio: number
}

/** Takes both times in turns, so that both see the same load of the machine, and gives the middle of what they differ by. */
export function importTimes(project: string): ImportTimes {
  const timeOf = (program: string) => {
    const tell = 'const { user, system } = process.cpuUsage(); console.log(user + system)'
    return Number(runCommand(process.execPath, ['--input-type=module', '-e', `${program}\n${tell}`], project)) / 1000
  }
  const pairs = Array.from({ length: rounds }, () => [timeOf("await import('statewright')"), timeOf('')] as const)
  return {
    beyond: median(pairs.map(([imports, nothing]) => imports - nothing)),
    ratio: median(pairs.map(([imports, nothing]) => imports / nothing)),
  }
}
