import { median } from '../../bench/median.ts'
import { runCommand } from './run-command.ts'

const rounds = 15

/** The processor time of a process that imports the package, compared with one that imports nothing. */
export interface ImportTimes {
  /** The difference in milliseconds. */
  readonly beyond: number
  /** The ratio of the two times. */
  readonly ratio: number
}

/** Measures both times alternately, so that both see the same load of the machine, and returns the medians. */
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
