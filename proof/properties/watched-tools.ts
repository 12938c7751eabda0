import { canonicalJson, type Json } from '../../src/core/domain/text/json.ts'
import type { Tool, ToolContext, ToolReturn } from '../../src/core/ports/tool.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { CommitObserver } from './commit-observer.ts'
import type { PlayedOutcome } from './commands.ts'
import type { MortalProcess } from '../../src/testing/crash/mortal-process.ts'
import { type ToolSpec, toolTable } from './tool-table.ts'

/** One performance of one tool. */
export interface Performance {
  readonly runId: string
  readonly callId: string
  readonly tool: string
  readonly attempt: number
  readonly key: string
  readonly input: string
  readonly decision: ToolContext['decision']
  readonly mortal: MortalProcess
  /** Held performances end through this. */
  readonly end: (outcome: PlayedOutcome) => void
  ended: 'open' | 'suspended' | 'answered'
}

/** The tools of a sequence, and everything they have done in it. */
export class WatchedTools {
  readonly performances: Performance[] = []
  readonly faults: string[] = []
  readonly #observer: () => CommitObserver
  readonly #clock: Clock
  readonly #batch: number
  /** The results of the outside, for a repeated question after a crash. */
  readonly #answers = new Map<string, PlayedOutcome>()
  /** Ids of the decisions each key was performed with, none as the empty id. */
  readonly #decisions = new Map<string, string[]>()

  /** `observer` is that of the run that is driven now; `batch` is how many calls may run side by side. */
  constructor(observer: () => CommitObserver, clock: Clock, batch: number) {
    this.#observer = observer
    this.#clock = clock
    this.#batch = batch
  }

  /** The tools as the agent of one process has them. */
  tools(mortal: MortalProcess): readonly Tool[] {
    return Object.entries(toolTable).map(([name, spec]) => {
      const { effects, needs, concurrency, timeoutMs, resume, priority } = spec
      const given = { effects, needs, concurrency, timeoutMs, resume, priority }
      const extras = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      return {
        name,
        description: `Test tool ${name}`,
        input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
        ...extras,
        execute: (input: Json, context: ToolContext) => this.#perform(spec, input, context, mortal),
      }
    })
  }

  /** Held performances of a living process, in the order of their calls. */
  open(mortal: MortalProcess): readonly Performance[] {
    return this.performances
      .filter((one) => one.mortal === mortal && one.ended === 'open' && this.#isRunning(one.callId))
      .sort((left, right) => (left.callId < right.callId ? -1 : 1))
  }

  async #perform(spec: ToolSpec, input: Json, context: ToolContext, mortal: MortalProcess): Promise<ToolReturn> {
    const { runId, callId, toolName: tool, attempt, idempotencyKey: key, decision } = context
    const finish = Promise.withResolvers<PlayedOutcome>()
    const head = { runId, callId, tool, attempt, key, input: canonicalJson(input), decision, mortal }
    const ask = this.#askOf(key, decision?.decisionId ?? '')
    const answerKey = `${key} ${ask}`
    const end = (outcome: PlayedOutcome) => {
      this.#answers.set(answerKey, outcome)
      finish.resolve(outcome)
    }
    const performance: Performance = { ...head, end, ended: 'open' }
    this.#judgeBeginning(performance)
    this.performances.push(performance)
    const outcome = await this.#outcomeOf(spec, ask, this.#answers.get(answerKey), finish.promise)
    performance.ended = outcome === 'suspend' || outcome === 'pending' ? 'suspended' : 'answered'
    return this.#returned(outcome, spec, context)
  }

  /** Which answer the outside is asked for: another performance after a crash asks for the same one. */
  #askOf(key: string, decisionId: string): number {
    const decisions = this.#decisions.get(key) ?? []
    this.#decisions.set(key, decisions)
    if (!decisions.includes(decisionId)) decisions.push(decisionId)
    return decisions.indexOf(decisionId) + 1
  }

  #outcomeOf(
    { acts, suspends = 0 }: ToolSpec,
    ask: number,
    known: PlayedOutcome | undefined,
    finish: Promise<PlayedOutcome>,
  ): PlayedOutcome | Promise<PlayedOutcome> {
    if (ask <= suspends) return 'suspend'
    if (acts === 'held') return known ?? finish
    return acts === 'throws' ? 'throw' : 'done'
  }

  #returned(outcome: PlayedOutcome, { reason, lasts }: ToolSpec, { toolName, suspend }: ToolContext): ToolReturn {
    const content = [{ type: 'text' as const, text: `${toolName} ${outcome}` }]
    switch (outcome) {
      case 'done':
        return `${toolName} done`
      case 'warning':
      case 'error':
      case 'pending':
        return { content, status: outcome }
      case 'throw':
        throw new Error('boom')
      case 'suspend':
        return suspend({
          ...(reason === undefined ? {} : { reason }),
          ...(lasts === undefined ? {} : { expiresAt: this.#clock.now() + lasts }),
        })
    }
  }

  #isRunning(callId: string): boolean {
    return this.#observer().calls.get(callId)?.status === 'running'
  }

  #judgeBeginning({ callId, tool, mortal }: Performance): void {
    const say = (text: string) => void (mortal.isDead || this.faults.push(`${callId} ${tool} ${text}`))
    const status = this.#observer().calls.get(callId)?.status ?? 'unknown'
    if (status !== 'running') say(`began while it stood as ${status}`)
    const beside = this.open(mortal)
    if (beside.length >= this.#batch) say(`began beside ${beside.length} others`)
    const isAlone = [tool, ...beside.map((one) => one.tool)].some((name) => toolTable[name]?.concurrency !== undefined)
    if (beside.length > 0 && isAlone) say(`began beside ${beside.map((one) => one.callId).join(', ')}`)
  }
}
