import type { PeerMeasured } from './measure-peers.ts'
import { median, quietOf } from '../median.ts'
import { processTime } from './process-time.ts'
import type { Entry } from './subject-table.ts'

const rounds = 11

/** Milliseconds of processor time of a process that imports a framework, beside one that imports nothing. */
export function importTimes(entries: readonly Entry[], tell: (progress: string) => void): readonly PeerMeasured[] {
  const programs = entries.map(({ name, packages: [first] }) => ({
    name,
    program: first === undefined ? '' : `await import(${JSON.stringify(first)})`,
  }))
  const played = Array.from({ length: rounds }, (_, round) => {
    tell(`round ${round + 1} of ${rounds}`)
    return new Map(programs.map(({ name, program }) => [name, processTime(program)]))
  })
  const of = (name: string) => played.map((round) => round.get(name) ?? Number.NaN)
  const ratio = (name: string, base: string) => {
    const bases = of(base)
    return median(of(name).map((time, round) => time / (bases[round] ?? Number.NaN)))
  }
  return programs.map(({ name }) => ({
    workload: 'import',
    size: 1,
    variant: 'process',
    subject: name,
    unit: 'ms',
    median: median(of(name)),
    quiet: quietOf(of(name)),
    floorRatio: ratio(name, 'floor'),
    quietRatio: quietOf(of(name)) / quietOf(of('floor')),
    peerRatio: ratio(name, 'ai-sdk'),
    quietPeerRatio: quietOf(of(name)) / quietOf(of('ai-sdk')),
    floor: 'a process that imports nothing.',
  }))
}
