import { createActor, fromPromise, type InspectionEvent } from 'xstate'
import { toolCallMachine } from '../../machines/tool-call/tool-call.machine.ts'
import {
  decidedReport,
  settledReport,
  suspendedReport,
  toolCallRecords,
} from '../../machines/tool-call/tool-call.result.ts'
import type {
  GateCallInput,
  GateReplayInput,
  Performed,
  ReplayVerdict,
  ReviewCallInput,
  RunToolInput,
  ToolCallEvent,
  ToolCallInput,
  ToolCallReport,
} from '../../machines/tool-call/tool-call.types.ts'
import { compileChart } from '../../src/compiled/compile-chart.ts'
import type { Verdict } from '../../src/domain/call-plan.ts'
import type { Write } from '../../src/domain/log.ts'
import type { SleepInput } from '../../src/domain/timer.ts'

/** The answer of an effect that a call waits for. */
export interface Completion {
  readonly done: 'gateCall' | 'runTool' | 'gateReplay' | 'reviewCall' | 'sleep'
  readonly output?: unknown
}

/** What takes the steps of the chart: the engine's tables, or XState itself. */
export type Steps = 'tables' | 'xstate'

/** What a call starts with where nothing else is said: allowed, and its batch has not started. */
const allowed: ToolCallInput = {
  callId: 'c',
  verdict: { kind: 'allowed' },
  effects: 'once',
  resumeMode: 'replay',
  isQueued: true,
  isCallGateWatched: false,
  isReviewWatched: false,
}

/** One call by itself, whose effects are answered by hand; `effects` is what it asked for, in order. */
export class OneCall {
  readonly effects: string[] = []
  readonly inspected: InspectionEvent[] = []
  readonly #actor
  readonly #open = new Map<string, (output: unknown) => void>()

  constructor(steps: Steps, input: Partial<ToolCallInput> = {}) {
    const machine = this.#provided()
    this.#actor = createActor(steps === 'tables' ? compileChart(machine) : machine, {
      input: { ...allowed, ...input },
      inspect: (event) => void this.inspected.push(event),
    })
    this.#actor.start()
  }

  /** The state of the seven that the call is in. */
  get state(): string {
    const { value } = this.#actor.getSnapshot()
    return typeof value === 'string' ? value : (Object.keys(value)[0] ?? 'none')
  }

  /** All of the call, as it is stored. */
  get stored(): string {
    return JSON.stringify(this.#actor.getPersistedSnapshot())
  }

  /** Takes an event, or the answer of an effect. */
  async take(event: ToolCallEvent | Completion): Promise<void> {
    if ('type' in event) {
      this.#actor.send(event)
      return
    }
    const answer = this.#open.get(event.done)
    if (answer === undefined) throw new Error(`The call has not asked for ${event.done}.`)
    answer(event.output)
    await new Promise((resolve) => setImmediate(resolve))
  }

  #provided() {
    const write = (writes: readonly Write[]) => this.effects.push(...writes.map(spellWrite))
    const tell = (report: ToolCallReport) => this.effects.push(spellReport(report))
    return toolCallMachine.provide({
      actors: {
        gateCall: this.#effect<Verdict, GateCallInput>('gateCall'),
        runTool: this.#effect<Performed, RunToolInput>('runTool'),
        gateReplay: this.#effect<ReplayVerdict, GateReplayInput>('gateReplay'),
        reviewCall: this.#effect<void, ReviewCallInput>('reviewCall'),
        sleep: this.#effect<void, SleepInput>('sleep'),
      },
      actions: {
        recordSuspension: (args) => write(toolCallRecords.recordSuspension(args)),
        recordKeptDecision: (args) => write(toolCallRecords.recordKeptDecision(args)),
        recordResult: (args) => write(toolCallRecords.recordResult(args)),
        recordStatus: (args, params) => write(toolCallRecords.recordStatus(args, params)),
        reportSuspended: (args) => tell(suspendedReport(args)),
        reportDecided: (args) => tell(decidedReport(args)),
        reportSettled: (args, params) => tell(settledReport(args, params)),
      },
    })
  }

  #effect<Output, Input extends object>(name: Completion['done']) {
    return fromPromise<Output, Input>(({ input, signal }) => {
      const { callId: _one, ...rest } = { callId: '', ...input }
      this.effects.push(`${name} ${JSON.stringify(rest)}`)
      signal.addEventListener('abort', () => this.effects.push(`stop ${name}`))
      return new Promise((resolve) => this.#open.set(name, (output) => resolve(output as Output)))
    })
  }
}

function spellWrite(write: Write): string {
  const { kind, callId: _one, ...rest } = { callId: '', ...write }
  return `write ${kind} ${JSON.stringify(rest)}`
}

function spellReport(report: ToolCallReport): string {
  if (report.type === 'toolCall.settled') return `tell settled ${report.status}`
  return `tell suspended ${report.suspension.id}${report.isDecided ? ', decided' : ''}`
}
