import type { LimitResult } from '../limits.ts'
import type { PeerMeasured } from './measure-peers.ts'

interface PeerLimit {
  readonly workload: string
  readonly size: number
  /** `ai-sdk`, the fastest framework that plays the workload, or the floor. */
  readonly base: 'ai-sdk' | 'fastest' | 'floor'
  /** What holds today, with some slack. */
  readonly limit: number
  /** What the engine has to come to. */
  readonly asked: number
}

const table: readonly PeerLimit[] = [
  { workload: 'turns', size: 10, base: 'ai-sdk', limit: 2.4, asked: 1.4 },
  { workload: 'turns', size: 50, base: 'ai-sdk', limit: 2, asked: 1 },
  { workload: 'turns', size: 200, base: 'ai-sdk', limit: 1.3, asked: 0.55 },
  { workload: 'parallel', size: 64, base: 'ai-sdk', limit: 3, asked: 1.6 },
  { workload: 'parallel', size: 256, base: 'ai-sdk', limit: 3.5, asked: 1.5 },
  { workload: 'resume', size: 1000, base: 'fastest', limit: 6.5, asked: 1 },
  { workload: 'freshProcess', size: 10, base: 'ai-sdk', limit: 1.3, asked: 0.8 },
  { workload: 'atOnce', size: 1000, base: 'ai-sdk', limit: 3, asked: 1.2 },
  { workload: 'import', size: 1, base: 'floor', limit: 3, asked: 3 },
]

/** Holds the engine's figures against those of the others, as far as both were measured. */
export function checkPeerLimits(results: readonly PeerMeasured[]): readonly LimitResult[] {
  return table.flatMap(({ workload, size, base, limit, asked }) => {
    const same = results.filter((one) => one.workload === workload && one.size === size)
    const found = valueOf(same, base)
    if (found === undefined) return []
    const value = Math.round(found * 100) / 100
    const name = `${workload} at ${size}: of ${base === 'fastest' ? 'the fastest framework' : base}`
    return [{ name, value, bound: 'most' as const, limit, asked, holds: value <= limit }]
  })
}

function valueOf(same: readonly PeerMeasured[], base: PeerLimit['base']): number | undefined {
  const ours = same.find(({ subject }) => subject === 'statewright')
  if (ours === undefined) return undefined
  if (base === 'floor') return ours.quietRatio
  if (base === 'ai-sdk') return Number.isNaN(ours.quietPeerRatio) ? undefined : ours.quietPeerRatio
  const others = same.filter(({ subject }) => subject !== 'statewright' && subject !== 'floor')
  return others.length === 0 ? undefined : ours.quiet / Math.min(...others.map((one) => one.quiet))
}
