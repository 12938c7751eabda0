import { hasPostgres } from '../proof/support/postgres-server.ts'
import { engineLimits } from './engine-limits.ts'
import type { Measured } from './measure-workload.ts'

/** How one limit fared. */
export interface LimitResult {
  readonly name: string
  readonly value: number
  readonly bound: 'most' | 'least'
  /**
   * What holds today, with slack: two cores tell a ratio otherwise by a third from day to day. Beyond it, something slid. A row
   * whose limit has another reason says it.
   */
  readonly limit: number
  /** What the engine has to come to; absent where nothing more is asked than not to slide. */
  readonly asked?: number
  /** True for counts and bytes. Default false. */
  readonly isCount?: boolean
  readonly holds: boolean
}

/** One row of the table. */
export interface Limit {
  readonly name: string
  /** Default `most`. */
  readonly bound?: 'least'
  readonly limit: number
  readonly asked?: number
  /** The figure that the limit was set by. A test keeps the limit near it. */
  readonly measured?: number
  value(figures: Figures): number
}

/** Figures of the engine itself, by workload, variant and size. */
interface Figures {
  ratio(workload: string, variant: string, size: number): number
  median(workload: string, variant: string, size: number): number
  /** Of what a tenth of the rounds reached. */
  quiet(workload: string, variant: string, size: number): number
  quietRatio(workload: string, variant: string, size: number): number
}

const sizesOfTurns = [10, 50, 200]

/** Ratios of time are to the bare loop beside the bare store; what is asked and not reached yet is told by docs/adr/0009. */
export const limitRows: readonly Limit[] = [
  atWorst('family', 'turn', [1], { limit: 3.4, asked: 2.4 }),
  atWorst('family', 'at once', [64], { limit: 1.5, asked: 1.5 }),
  atWorst('family', 'listed', [100], { limit: 3, asked: 3 }),
  ...['memory', 'normal', 'full'].map((variant) => ({
    name: `turns ${variant}: a turn of 200, of one of 10`,
    limit: 1.15,
    asked: 1.1,
    value: ({ median }: Figures) => median('turns', variant, 200) / median('turns', variant, 10),
  })),
  quietly('turns', 'normal', 10, { limit: 11, asked: 11 }),
  quietly('turns', 'normal', 50, { limit: 11, asked: 9 }),
  quietly('turns', 'normal', 200, { limit: 9, asked: 6 }),
  ...sizesOfTurns.map((size) => quietly('turns', 'full', size, { limit: 3.5, asked: 2.4 })),
  atWorst('turns', 'new normal', sizesOfTurns, { limit: 13, asked: 8 }),
  atWorst('turns', 'new full', sizesOfTurns, { limit: 3.2, asked: 1.8 }),
  {
    name: 'parallel memory: a call of 256, of one of 64',
    limit: 1.5,
    asked: 1.2,
    value: ({ median }) => median('parallel', 'memory', 256) / median('parallel', 'memory', 64),
  },
  ...['given in use', 'grown in use'].flatMap((variant) => [
    quietly('resume', variant, 10, { limit: 24, asked: 12 }),
    quietly('resume', variant, 100, { limit: 12, asked: 7 }),
    quietly('resume', variant, 1000, { limit: 7, asked: 3 }),
  ]),
  atWorst('resume', 'given normal', [10], { limit: 11, asked: 6 }),
  atWorst('resume', 'given normal', [100], { limit: 8, asked: 6 }),
  atWorst('resume', 'given normal', [1000], { limit: 6, asked: 6 }),
  atWorst('resume', 'grown normal', [10], { limit: 11, asked: 6 }),
  atWorst('resume', 'grown normal', [100], { limit: 8, asked: 6 }),
  atWorst('resume', 'grown normal', [1000], { limit: 6, asked: 6 }),
  atWorst('bytes', 'wal', sizesOfTurns, { limit: 1 }),
  atWorst('bytes', 'wal', [200], { limit: 0.8, asked: 0.8 }),
  // It was 2.18: documents kept whole while a run goes on may be paid for with bytes, of 3.7 of them up to 5.
  atWorst('kept', 'file', [200], { limit: 2.95, asked: 2.95 }),
  {
    name: 'readers stored events: MB of heap while 300 read a run of 8 MB',
    limit: 100,
    asked: 100,
    value: ({ median }) => median('readers', 'stored events', 300),
  },
  // Its messages alone, as the floor keeps them, are 1,864 bytes; its call and suspension, two small documents, the rules
  // stored with it and its own row are the rest.
  {
    name: 'rest given: bytes of a waiting run of 10 messages',
    limit: 4000,
    asked: 3000,
    value: ({ median }) => median('rest', 'given', 10),
  },
  atWorst('rest', 'grown', [10], { limit: 3 }),
  {
    name: "runsPerSecond full: 32 at once, of the floor's own",
    bound: 'least',
    limit: 0.9,
    asked: 1.2,
    value: ({ quietRatio }) => quietRatio('runsPerSecond', 'full', 32),
  },
  {
    name: 'alive memory: kB a run of 1,000',
    limit: 49,
    asked: 25,
    value: ({ median }) => median('alive', 'memory', 1000),
  },
  // Of one machine: with other work on it, a delta takes twice as long.
  {
    name: 'stream: 2,000 deltas over HTTP, of a bare writer',
    limit: 1.5,
    asked: 1.5,
    value: ({ quietRatio }) => quietRatio('stream', 'AI SDK', 2_000),
  },
  {
    name: 'deltas memory: µs a delta',
    limit: 1.6,
    asked: 0.7,
    value: ({ quiet }) => quiet('deltas', 'memory', 100_000),
  },
  quietly('suspendedRound', 'normal', 128, { limit: 34 }),
  quietly('largeDocument', 'previews', 40, { limit: 18 }),
  quietly('manyRuns', 'none due', 20_000, { limit: 0.9 }),
  quietly('manyRuns', 'one due', 20_000, { limit: 1.3 }),
  quietly('manyRuns', 'newest', 20_000, { limit: 4.3 }),
  quietly('manyRuns', 'waiting', 20_000, { limit: 3.9 }),
  ...(hasPostgres ? ['SQLite', 'Postgres'] : ['SQLite']).flatMap((store) => [
    quietly('waiting', `${store} decide`, 100_000, { limit: 1.5, asked: 1.5 }),
    {
      name: `answerBegun ${store}: ms until a worker has begun it`,
      limit: store === 'SQLite' ? 30 : 20,
      value: ({ median }: Figures) => median('answerBegun', store, 15),
    },
    {
      name: `idleWorker ${store}: % of a core`,
      limit: store === 'SQLite' ? 0.86 : 0.7,
      value: ({ median }: Figures) => median('idleWorker', store, 1),
    },
  ]),
  ...(hasPostgres ? [quietly('durableStep', 'Postgres p50', 20, { limit: 2, asked: 2 })] : []),
  ...engineLimits,
  atWorst('service', 'answered', [10, 100], { limit: 1.3, asked: 1.3 }),
  atWorst('service', 'uncalled', [50], { limit: 1.1, asked: 1.1 }),
  {
    name: 'session bytes: of 25 prompts from the 100th on, of those from the 2nd on',
    limit: 1.1,
    asked: 1.1,
    value: ({ median }) => median('session', 'bytes', 100) / median('session', 'bytes', 2),
  },
  {
    name: 'session time: of the 100th prompt, of the 2nd',
    limit: 1.5,
    asked: 1.5,
    value: ({ quiet }) => quiet('session', 'time', 100) / quiet('session', 'time', 2),
  },
  atWorst('session', 'file', [300], { limit: 3, asked: 3 }),
  quietly('session', 'line', 1000, { limit: 1.2, asked: 1.2 }),
  quietly('session', 'nested', 1000, { limit: 3, asked: 3 }),
  {
    name: 'compaction: a turn at 1,000 messages, of one at 50',
    limit: 1.3,
    asked: 1.3,
    value: ({ quiet }) => quiet('compaction', 'turn', 1000) / quiet('compaction', 'turn', 50),
  },
  {
    name: 'compaction: the share of prompts that the next one begins with, over 300 turns',
    bound: 'least',
    limit: 0.93,
    asked: 0.93,
    value: ({ median }) => median('compaction', 'prefix', 300),
  },
  quietly('files', 'time', 50, { limit: 1.2, asked: 1.1 }),
  // The pages of a store hold a little more than what is kept in them.
  atWorst('files', 'written', [50], { limit: 1.05, asked: 1.05 }),
  ...[10, 200].map((size) => quietly('storeInUse', 'normal', size, { limit: 1.3 })),
  ...['anthropic', 'openai-chat', 'openai-responses', 'google', 'bedrock', 'ai-sdk'].map((name) =>
    atWorst('wire', name, [2000], { limit: 1.5, asked: 1.5 }),
  ),
  ...[['preview', 5_200] as const, ['edit', 5_000_000] as const].map(([variant, size]) => ({
    name: `longestBlock ${variant} at ${size}: ms`,
    limit: 100,
    asked: 100,
    value: ({ median }: Figures) => median('longestBlock', variant, size),
  })),
  atWorst('longestBlock', 'approval', [390_000], { limit: 4.6 }),
  atWorst('longestBlock', 'approved files', [20], { limit: 9.5 }),
  atWorst('longestBlock', 'suspended calls', [128], { limit: 12 }),
  {
    name: 'suspendedMemory files: MB of heap while 128 files of 49 kB are approved',
    limit: 290,
    value: ({ median }) => median('suspendedMemory', 'files', 128),
  },
  atWorst('tools', 'unconfined', [1], { limit: 1.5 }),
  atWorst('mcp', 'stdio', [500], { limit: 1.5, asked: 1.5 }),
  {
    name: 'output memory: MB resident while 100 MB are written',
    limit: 40,
    value: ({ median }) => median('output', 'memory', 100),
  },
  {
    name: 'longestBlock slashes: ms while a document with 200,000 slashes in its server is opened',
    limit: 100,
    asked: 100,
    value: ({ median }) => median('longestBlock', 'slashes', 200_000),
  },
  ...[10, 1000].flatMap((size) => [
    quietly('seen', 'inspector normal', size, { limit: 1.5, asked: 1.5 }),
    quietly('seen', 'spans normal', size, { limit: 1.2, asked: 1.2 }),
  ]),
  {
    name: 'seen first paint: ms until the studio shows 1,000 runs',
    limit: 1000,
    asked: 1000,
    value: ({ median }) => median('seen', 'first paint', 1000),
  },
  {
    name: 'seen scroll: ms of script and layout of a step through 10,000 events',
    limit: 8,
    asked: 8,
    value: ({ median }) => median('seen', 'scroll', 10_000),
  },
  atWorst('openapi', 'load', [1_000], { limit: 2, asked: 2 }),
  atWorst('openapi', 'prompt of 10', [1_000], { limit: 1, asked: 1 }),
]

/** Returns true for a limit of counts or bytes, which each machine measures alike; the others are times and their ratios. */
export function isCount({ name }: Pick<Limit, 'name'>): boolean {
  return /^(bytes|kept|storedEventBytes|rest|session bytes|session file|files written|openapi prompt|compaction: the share)/.test(
    name,
  )
}

function atWorst(
  workload: string,
  variant: string,
  sizes: readonly number[],
  limits: { readonly limit: number; readonly asked?: number },
): Limit {
  return {
    name: `${workload} ${variant} at ${sizes.join(', ')}: of the floor`,
    ...limits,
    value: ({ ratio }) => Math.max(...sizes.map((size) => ratio(workload, variant, size))),
  }
}

function quietly(
  workload: string,
  variant: string,
  size: number,
  limits: { readonly limit: number; readonly asked?: number },
): Limit {
  return {
    name: `${workload} ${variant} at ${size}: of the floor, when it is quiet`,
    ...limits,
    value: ({ quietRatio }) => quietRatio(workload, variant, size),
  }
}

/** Holds the figures against every limit whose workload was measured. */
export function checkLimits(results: readonly Measured[]): readonly LimitResult[] {
  const measured = new Set(results.map(({ workload }) => workload))
  const figures = figuresOf(results)
  return limitRows
    .filter(({ name }) => measured.has(/^\w+/.exec(name)?.[0] ?? ''))
    .map((limit) => holdAgainst(limit, figures))
}

function holdAgainst({ value: valueOf, bound, ...limit }: Limit, figures: Figures): LimitResult {
  const value = Math.round(valueOf(figures) * 100) / 100
  const isLeast = bound === 'least'
  return {
    ...limit,
    bound: isLeast ? 'least' : 'most',
    isCount: isCount(limit),
    value,
    holds: isLeast ? value >= limit.limit : value <= limit.limit,
  }
}

function figuresOf(results: readonly Measured[]): Figures {
  const find = (workload: string, variant: string, size: number): Measured => {
    const found = results.find(
      (one) =>
        one.workload === workload && one.variant === variant && one.size === size && one.subject === 'statewright',
    )
    if (found === undefined) throw new Error(`Nothing was measured of ${workload} ${variant} at ${size}.`)
    return found
  }
  return {
    ratio: (workload, variant, size) => find(workload, variant, size).floorRatio,
    median: (workload, variant, size) => find(workload, variant, size).median,
    quiet: (workload, variant, size) => find(workload, variant, size).quiet,
    quietRatio: (workload, variant, size) => find(workload, variant, size).quietRatio,
  }
}
