import type { LogEntry } from '../../core/domain/log.ts'
import type { StoredRun } from '../../core/ports/store.ts'
import { decodeRun, encodeCheckpoint, encodeChild, encodeInterim } from '../../core/runtime/document.ts'
import { RunLog } from '../../core/runtime/run-log.ts'
import type { StoredActor, StoredChild } from '../../core/runtime/persist.ts'
import type { Configuration, Move, Standing } from './exploration-types.ts'
import { type Facts, noFacts } from './facts.ts'
import { exploredPayloads } from './said-payloads.ts'
import { writesOf } from './handler-writes.ts'
import type { Breach } from './invariant.ts'
import { judge } from './invariants.ts'
import { movesOf } from './moves.ts'
import { suspendedTimes } from './suspended-times.ts'
import { ChartHarness, makeMove } from './chart-harness.ts'
import type { LiveChart, Step } from './live-chart.ts'

/** The result of a walk along a path. */
export interface Walk {
  /** The machine's JSON at the end, without effect keys. */
  readonly end: string
  readonly log: readonly LogEntry[]
  readonly messages: unknown
  readonly breaches: readonly Breach[]
  readonly moves: readonly Move[]
}

/** The path of a walk, and the way of walking it. */
export interface WalkOptions {
  readonly configuration: Configuration
  readonly moves: readonly Move[]
  /** True to stop after every event and to continue from the stored document and log alone. */
  readonly restores: boolean
}

/** The limit of moves from the end of a path until the run rests; more than any configuration needs. */
const maxMovesHome = 60

/** Drives one path through the engine's core with a real log, and then continues until the run rests. */
export function walkPath({ configuration, moves, restores }: WalkOptions): Walk {
  const walker = new Walker(configuration, restores)
  for (const move of moves) walker.make(move)
  for (let count = 0; count < maxMovesHome; count++) {
    const move = walker.moveHome()
    if (move === undefined) return walker.walk()
    walker.make(move)
  }
  throw new Error(`${configuration.name}: no rest within ${maxMovesHome} moves.`)
}

/** One run in progress, with its log. */
class Walker {
  readonly #configuration: Configuration
  readonly #harness: ChartHarness
  readonly #live: LiveChart
  readonly #restores: boolean
  readonly #made: Move[] = []
  readonly #breaches: Breach[] = []
  #runLog = new RunLog([], 1, undefined, 0, exploredPayloads)
  #standing: Standing
  #facts: Facts = noFacts
  #isEven = false

  constructor(configuration: Configuration, restores: boolean) {
    this.#configuration = configuration
    this.#harness = new ChartHarness({ options: configuration.options })
    this.#restores = restores
    this.#live = this.#harness.live()
    const step = this.#live.open()
    this.#standing = step.standing
    this.#take(step, undefined)
  }

  make(move: Move): void {
    const observed = { configuration: this.#configuration, suspensions: suspendedTimes(this.#facts), at: 1 }
    const before = this.#standing
    const effect = before.effects.find(
      ({ owner, src }) => move.type === 'complete' && owner === move.owner && src === move.src,
    )
    if (move.type === 'complete' && effect !== undefined)
      this.#runLog.apply(writesOf(move, effect, observed, this.#runLog), 1)
    const step = this.#restores
      ? this.#harness.step(this.#stored(), move, observed)
      : makeMove(this.#live, move, observed)
    this.#take(step, move)
    this.#made.push(move)
  }

  /** Returns the first move that leads towards a rest: it completes an effect or approves a suspended call. */
  moveHome(): Move | undefined {
    if (this.#facts.top === 'done') return undefined
    const moves = movesOf(this.#standing, this.#facts, this.#configuration)
    const isAsked = (move: Move) => move.type === 'decide' && this.#facts.calls[move.callId]?.status === 'suspended'
    const isModel = (move: Move) => move.type === 'complete' && move.owner === 'modelCall'
    return moves.find(endsSomething) ?? moves.find(isModel) ?? moves.find(isAsked)
  }

  walk(): Walk {
    return {
      end: this.#standing.text.replaceAll(/"key":"k\d+"/g, '"key":""'),
      log: this.#runLog.entries(),
      messages: this.#runLog.messages(),
      breaches: this.#breaches,
      moves: this.#made,
    }
  }

  #take(step: Step, move: Move | undefined): void {
    const known = move === undefined ? {} : { move, before: this.#standing, facts: this.#facts }
    const { facts, breaches } = judge({ configuration: this.#configuration, ...known, step })
    for (const seen of step.happenings) {
      if (seen.kind === 'write') this.#runLog.apply([seen.write], 1)
      if (seen.kind === 'hop') this.#runLog.setStatus(seen.callId, seen.to)
    }
    this.#commit()
    this.#breaches.push(...breaches)
    this.#facts = facts
    this.#standing = step.standing
  }

  /** Ends the change of the move, as a commit does: calls that have moved are marked, and the next change begins empty. */
  #commit(): void {
    this.#runLog.marks.markCalls(1)
    this.#runLog.change.clear()
  }

  /** Writes the machine and the log as a commit would, and reads both back. */
  #stored(): Standing {
    const { charts, input } = this.#harness
    const root = JSON.parse(this.#standing.text) as StoredActor
    this.#isEven = !this.#isEven
    const run = this.#isEven ? checkpointOf(root, this.#runLog) : interimOf(root, this.#runLog)
    const loaded = decodeRun(run, charts.defaults(input))
    if (loaded?.snapshot === undefined) throw new Error('What was stored cannot be read.')
    this.#runLog = new RunLog(run.log, loaded.nextSeq, undefined, 0, exploredPayloads)
    return { ...this.#standing, snapshot: loaded.snapshot }
  }
}

/** Returns true if the move completes an effect with an outcome that needs no further answer. */
function endsSomething(move: Move): boolean {
  if (move.type !== 'complete' || move.src === 'sleep') return false
  return !['suspended', 'truncated', 'busy', 'held'].includes(move.outcome)
}

function storedRun(runLog: RunLog, parts: Pick<StoredRun, 'checkpoint' | 'document' | 'calls'>): StoredRun {
  const record = { id: 'walk', agent: 'walk', status: 'running', createdAt: 1, updatedAt: 1, version: 1 } as const
  const log = JSON.parse(JSON.stringify(runLog.entries())) as readonly LogEntry[]
  return { record, input: null, log, ...parts }
}

function checkpointOf(root: StoredActor, runLog: RunLog): StoredRun {
  const document = encodeCheckpoint(root, runLog.nextSeq, [])
  return storedRun(runLog, { checkpoint: { document, version: 1, seq: 0 }, document: null, calls: [] })
}

/** Returns a stored run with its calls in separate rows, as between checkpoints. */
function interimOf(root: StoredActor, runLog: RunLog): StoredRun {
  const children = Object.entries(root.children ?? {}).filter(([, { src }]) => src === 'toolCall')
  const calls = children.map(([callId, child]: [string, StoredChild]) => ({
    record: runLog.requireCall(callId),
    document: encodeChild(child),
    version: 1,
  }))
  return storedRun(runLog, {
    checkpoint: null,
    document: encodeInterim(root, runLog.nextSeq, 'toolCall'),
    calls,
  })
}
