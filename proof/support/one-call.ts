import { createActor, fromPromise, type InspectionEvent } from 'xstate'
import { toolCallMachine } from '../../machines/tool-call/tool-call.machine.ts'
import {
  decidedReport,
  settledReport,
  suspendedReport,
  toolCallRecords,
} from '../../machines/tool-call/tool-call.result.ts'
import type {
  CallAsk,
  EndStatus,
  GateReplayInput,
  Performed,
  ReplayVerdict,
  RunToolInput,
  ToolCallArgs,
  ToolCallEvent,
  ToolCallInput,
  ToolCallReport,
} from '../../machines/tool-call/tool-call.types.ts'
import type { Verdict } from '../../src/core/domain/call-plan.ts'
import type { Write } from '../../src/core/domain/log.ts'
import type { SleepInput } from '../../src/core/domain/timer.ts'
import { chartOf, effectMark } from '../../src/core/step/assembled-chart.ts'
import { ChartStep } from '../../src/core/step/step.ts'
import type { AskedEffect } from '../../src/core/step/step-system.ts'

/** The answer of an effect that a call waits for. */
export interface Completion {
  readonly done: 'gateCall' | 'runTool' | 'gateReplay' | 'reviewCall' | 'sleep'
  readonly output?: unknown
}

/** The stepper of the chart: the engine's tables, or XState itself. */
export type Steps = 'tables' | 'xstate'

/** A call's default start: allowed, and its batch has not started. */
const allowed: ToolCallInput = {
  callId: 'c',
  verdict: { kind: 'allowed' },
  effects: 'once',
  resumeMode: 'replay',
  isQueued: true,
  isCallGateWatched: false,
  isReviewWatched: false,
}

/** Something that steps one call. */
interface Stepped {
  readonly value: unknown
  /** The stored form. */
  readonly state: unknown
  send(event: ToolCallEvent): void
  answer(done: Completion['done'], output: unknown): Promise<void>
}

/** The phase that is asked at, or the effect. */
function nameOf(src: string, input: unknown): string {
  return src === 'ask' ? (input as CallAsk).phase : src
}

/** One call by itself, whose effects are answered by hand; `effects` is what it asked for, in order. */
export class OneCall {
  readonly effects: string[] = []
  readonly inspected: InspectionEvent[] = []
  readonly #stepped: Stepped

  constructor(steps: Steps, input: Partial<ToolCallInput> = {}) {
    const given = { ...allowed, ...input }
    this.#stepped = steps === 'tables' ? this.#byTables(given) : this.#byXState(given)
  }

  /** The state of the seven that the call is in. */
  get state(): string {
    const { value } = this.#stepped
    return typeof value === 'string' ? value : (Object.keys(value as object)[0] ?? 'none')
  }

  /** All of the call, as it is stored. */
  get stored(): string {
    return JSON.stringify(this.#stepped.state)
  }

  /** Takes an event, or the answer of an effect. */
  async take(event: ToolCallEvent | Completion): Promise<void> {
    if ('type' in event) this.#stepped.send(event)
    else await this.#stepped.answer(event.done, event.output)
  }

  #byTables(input: ToolCallInput): Stepped {
    const names = ['ask', 'runTool', 'gateReplay', 'sleep'] as const
    const actors = Object.fromEntries(names.map((name) => [name, { [effectMark]: true }]))
    const chart = chartOf(toolCallMachine.provide({ actors: actors, actions: this.#actions() }))
    if (chart === undefined) throw new Error('The tables do not know the chart of a call.')
    const open = new Map<string, AskedEffect>()
    let keys = 0
    const step = new ChartStep(chart, {
      keyFor: () => `k${keys++}`,
      shown: {},
      tell: (change) => {
        if (change.kind === 'asked') {
          const { src, key, input: asked } = change.effect
          open.set(key, change.effect)
          this.#ask(nameOf(src, asked), asked)
        }
        if (change.kind === 'withdrawn') {
          const gone = open.get(change.key)
          this.effects.push(`stop ${nameOf(gone?.src ?? '', gone?.input)}`)
        }
      },
      inspect: (event) => void this.inspected.push(event as never),
    })
    let state = step.begin(input)
    return {
      get value() {
        return state.value
      },
      get state() {
        return state
      },
      send: (event) => void (state = step.send(state, event)),
      answer: async (done, output) => {
        const effect = [...open.values()].findLast(({ src, input: asked }) => nameOf(src, asked) === done)
        if (effect === undefined) throw new Error(`The call has not asked for ${done}.`)
        state = step.complete(state, effect, output)
      },
    }
  }

  #byXState(input: ToolCallInput): Stepped {
    const open = new Map<string, (output: unknown) => void>()
    const effect = <Output, Input extends object>(src: string) =>
      fromPromise<Output, Input>(({ input: asked, signal }) => {
        const name = nameOf(src, asked)
        this.#ask(name, asked)
        signal.addEventListener('abort', () => this.effects.push(`stop ${name}`))
        return new Promise((resolve) => open.set(name, (output) => resolve(output as Output)))
      })
    const machine = toolCallMachine.provide({
      actors: {
        ask: effect<Verdict | undefined, CallAsk>('ask'),
        runTool: effect<Performed, RunToolInput>('runTool'),
        gateReplay: effect<ReplayVerdict, GateReplayInput>('gateReplay'),
        sleep: effect<void, SleepInput>('sleep'),
      },
      actions: this.#actions(),
    })
    const actor = createActor(machine, { input, inspect: (event) => void this.inspected.push(event) })
    actor.start()
    return {
      get value() {
        return actor.getSnapshot().value
      },
      get state() {
        return actor.getPersistedSnapshot()
      },
      send: (event) => actor.send(event),
      answer: async (done, output) => {
        const answer = open.get(done)
        if (answer === undefined) throw new Error(`The call has not asked for ${done}.`)
        answer(output)
        await new Promise((resolve) => setImmediate(resolve))
      },
    }
  }

  #ask(name: string, input: unknown): void {
    const { callId: _one, ...rest } = { callId: '', ...(input as object) }
    this.effects.push(`${name} ${JSON.stringify(rest)}`)
  }

  #actions() {
    const write = (writes: readonly Write[]) => void this.effects.push(...writes.map(spellWrite))
    const tell = (report: ToolCallReport) => void this.effects.push(spellReport(report))
    return {
      recordSuspension: (args: ToolCallArgs) => write(toolCallRecords.recordSuspension(args)),
      recordKeptDecision: (args: ToolCallArgs) => write(toolCallRecords.recordKeptDecision(args)),
      recordResult: (args: ToolCallArgs) => write(toolCallRecords.recordResult(args)),
      recordStatus: (args: ToolCallArgs, params: { status: EndStatus }) =>
        write(toolCallRecords.recordStatus(args, params)),
      reportSuspended: (args: ToolCallArgs) => tell(suspendedReport(args)),
      reportDecided: (args: ToolCallArgs) => tell(decidedReport(args)),
      reportSettled: (args: ToolCallArgs, params: { status: EndStatus }) => tell(settledReport(args, params)),
    }
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
