import { toldCall, withArguments } from '../domain/call.ts'
import type { MarkedEvent } from '../domain/marked-event.ts'
import { defined, freezeDeep } from '../domain/text/json.ts'
import type { UserMessage } from '../domain/message.ts'
import type { RunConfiguration } from '../domain/run-configuration.ts'
import { triggerOf } from '../domain/run-origin.ts'
import { noUsage } from '../domain/usage.ts'
import type { RunLog } from '../runtime/run-log.ts'
import {
  type Announcement,
  type Asking,
  effectLogic,
  type OutboxOf,
  type Told,
  type ToldOf,
} from '../step/effect-logic.ts'
import { initialContext as initialModelCall } from '../../../machines/model-call/model-call.attempts.ts'
import { modelCallMachine } from '../../../machines/model-call/model-call.machine.ts'
import { runMachine } from '../../../machines/run/run.machine.ts'
import { outcomeOf } from '../../../machines/run/run.ending.ts'
import { runMigrations } from '../../../machines/run/run.schema.ts'
import { queuedRows, turnPartOf } from '../../../machines/run/run.selectors.ts'
import { initialContext as initialRun } from '../../../machines/run/run.turn.ts'
import type { Rejection } from '../../../machines/run/run.input-types.ts'
import type { RunAnnouncement, RunArgs, RunContext, RunInput } from '../../../machines/run/run.types.ts'
import { runAnnouncements, runRecords } from '../../../machines/run/run.writes.ts'
import { toolCallMachine } from '../../../machines/tool-call/tool-call.machine.ts'
import { initialContext as initialToolCall } from '../../../machines/tool-call/tool-call.gate.ts'
import type { ToolCallArgs } from '../../../machines/tool-call/tool-call.types.ts'
import { toolCallRecords } from '../../../machines/tool-call/tool-call.result.ts'
import type { EffectName } from '../effects/effect-handlers.ts'
import { type Interpreter, stepsOf } from '../step/steps-of.ts'
import type { Announced } from '../runtime/drive-options.ts'
import type { Charts } from '../runtime/stepper.ts'
import type { TurnStanding } from '../runtime/change.ts'

/** The three machines of a run; a proof replaces them. */
export interface RunMachines {
  readonly run: typeof runMachine
  readonly toolCall: typeof toolCallMachine
  readonly modelCall: typeof modelCallMachine
}

const ourMachines: RunMachines = { run: runMachine, toolCall: toolCallMachine, modelCall: modelCallMachine }

/** Returns charts with all outside actors and actions bound. By default, tables perform their steps. */
export function chartsOf(machines: RunMachines = ourMachines, interpreter?: Interpreter): Charts {
  return {
    step: stepsOf((outboxOf, toldOf) => assembleRun(outboxOf, machines, toldOf), interpreter),
    rowSource: 'toolCall',
    openCalls: (context) => Object.keys((context as RunContext).calls),
    queuedRows: (context) => queuedRows(context as RunContext),
    migrations: runMigrations,
    outcome: (context) => outcomeOf(context as RunContext),
    turnAt: (value, context, log) => turnAt(machines.run, value, context, log),
    defaults: (input) => ({ root: initialRun({ input: input as RunInput }), ...nestedDefaults }),
  }
}

/** The initial context of the nested charts, shared by all runs and therefore frozen. */
export const nestedDefaults = freezeDeep({
  modelCall: initialModelCall({ input: { turn: 0, isFinishing: false, maxRetries: 3, fallbacks: 0 } }),
  toolCall: initialToolCall({
    input: {
      callId: '',
      verdict: { kind: 'allowed' },
      effects: 'once',
      resumeMode: 'replay',
      isQueued: false,
      isCallGateWatched: false,
      isReviewWatched: false,
    },
  }),
})

/** Our three charts. */
export const runCharts: Charts = chartsOf()

/** Binds the run machine and its nested machines, which `provide` alone does not reach. */
export function assembleRun(
  outboxOf: OutboxOf,
  machines: RunMachines = ourMachines,
  toldOf: ToldOf = outboxOf,
): typeof runMachine {
  const effect = (src: EffectName) => effectLogic(src, outboxOf) as never
  const modelCall = machines.modelCall.provide({
    actors: {
      callModel: effect('callModel'),
      refreshCredentials: effect('refreshCredentials'),
      compactPrompt: effect('compactPrompt'),
      summarise: effect('summarise'),
      sleep: effect('sleep'),
    },
  })
  const toolCall = assembleCall(outboxOf, machines.toolCall, toldOf)
  return machines.run.provide({
    actors: {
      modelCall,
      toolCall,
      ask: effect('ask'),
      holdRun: effect('holdRun'),
      askManager: effect('askManager'),
      keepTime: effect('keepTime'),
    },
    actions: {
      ...recording<RunArgs, typeof runRecords>(runRecords, toldOf),
      ...announcing<RunArgs, typeof runAnnouncements>(runAnnouncements, toldOf),
      checkpoint: (acting, { name }) => toldOf(acting).checkpoint(name),
    },
  })
}

/** Binds the machine of one call. */
export function assembleCall(
  outboxOf: OutboxOf,
  machine: typeof toolCallMachine,
  toldOf: ToldOf,
): typeof toolCallMachine {
  const effect = (src: EffectName) => effectLogic(src, outboxOf) as never
  return tellingStart(
    machine.provide({
      actors: {
        ask: effect('ask'),
        runTool: effect('runTool'),
        gateReplay: effect('gateReplay'),
        sleep: effect('sleep'),
      },
      actions: recording<ToolCallArgs, typeof toolCallRecords>(toolCallRecords, toldOf),
    }),
    outboxOf,
  )
}

/** Reports each starting actor to the outbox before the actor acts. */
function tellingStart<T extends object>(machine: T, outboxOf: OutboxOf): T {
  const { start } = machine as unknown as { start(snapshot: unknown): void }
  return Object.assign(machine, {
    start: (snapshot: unknown, scope: Asking) => {
      outboxOf(scope).started(scope.self)
      start(snapshot)
    },
  })
}

type Table<Args, Output> = { readonly [name: string]: (args: Args, params: never) => Output }

/** The type of bound actions. The interpreter's own types cannot be used here; the table checks names and contexts. */
export type Actions<T> = { [name in keyof T]: never }

/** Records what each action writes. */
export function recording<Args, T extends Table<Args, Parameters<Told['record']>[0]>>(
  table: T,
  toldOf: ToldOf,
): Actions<T> {
  return bound<Args, Parameters<Told['record']>[0], T>(table, (writes, acting) => toldOf(acting).record(writes))
}

/** Emits the announcements of each action. */
export function announcing<Args, T extends Table<Args, Announcement | null>>(table: T, toldOf: ToldOf): Actions<T> {
  return bound<Args, Announcement | null, T>(table, (announcement, acting) => {
    if (announcement !== null) toldOf(acting).announce(announcement)
  })
}

function bound<Args, Output, T extends Table<Args, Output>>(
  table: T,
  tell: (told: Output, acting: Asking) => void,
): Actions<T> {
  const entries = Object.entries(table).map(([name, read]) => [
    name,
    (args: Args & Asking, params: never) => tell(read(args, params), args),
  ])
  return Object.fromEntries(entries) as Actions<T>
}

/** Converts an announcement of the run machine to an event, and adds the configuration to the start of a run. */
export function toEvent(configuration: () => RunConfiguration, announced: Announced): MarkedEvent {
  const { origin, context, log, answerSeq, seq } = announced
  const announcement = announced.announcement as RunAnnouncement
  const run = context as RunContext
  switch (announcement.type) {
    case 'run.started': {
      const { subject: _, ...rest } = origin
      return { type: 'run.started', ...rest, configuration: configuration() }
    }
    case 'run.resumed':
      return { type: 'run.resumed' }
    case 'run.waiting':
      return waitingEvent(log)
    case 'run.ended': {
      const outcome = outcomeOf(run) ?? { reason: 'natural_end' }
      const { usage, cost } = run
      return { type: 'run.ended', outcome, ...countsOf(log), usage, cost, ...undeliveredIn(log) }
    }
    case 'hook.failed':
      return { type: 'hook.failed', hook: 'afterRun', error: announcement.error }
    case 'turn.started': {
      const { turn } = announcement
      const said = saidBefore(log, seq)
      return { type: 'turn.started', turn, trigger: triggerOf(turn, origin), ...(said.length === 0 ? {} : { said }) }
    }
    case 'turn.ended':
      return { type: 'turn.ended', turn: announcement.turn, ...answerIn(log, answerSeq) }
    case 'input.rejected': {
      const { kind, rejection } = announcement
      return { type: 'input.rejected', kind, ...rejection }
    }
    case 'calls.dropped':
      return { type: 'calls.dropped', turn: announcement.turn, names: announcement.names }
  }
}

/** Returns the event of a wait, with the calls that wait. */
export function waitingEvent(log: RunLog): Extract<MarkedEvent, { type: 'run.waiting' }> {
  const suspended = log.calls().filter((call) => call.status === 'suspended')
  return { type: 'run.waiting', suspended: suspended.map((call) => withArguments(toldCall(call), log)) }
}

/** Returns the places of the user's messages between the last answer before an entry and that entry. */
function saidBefore(log: RunLog, end: number): readonly number[] {
  const said: number[] = []
  for (let seq = end - 1; seq > 0; seq--) {
    const role = log.message(seq)?.role
    if (role === 'assistant') break
    if (role === 'user') said.unshift(seq)
  }
  return said
}

/** Counts the run's own answers and its tool calls. A hold is not a call. */
function countsOf(log: RunLog): Pick<Extract<MarkedEvent, { type: 'run.ended' }>, 'turns' | 'toolCalls'> {
  const turns = log.places().filter((place) => log.message(place)?.role === 'assistant').length
  return { turns, toolCalls: log.calls().filter(({ isHold }) => isHold !== true).length }
}

export function undeliveredIn(
  log: RunLog,
): Pick<Extract<MarkedEvent, { type: 'run.ended' }>, 'rejection' | 'undelivered'> {
  const rejection = log.value('rejection') as Rejection | undefined
  const undelivered = log.value('undelivered') as readonly UserMessage[] | undefined
  return defined({ rejection, undelivered })
}

function answerIn(
  log: RunLog,
  answerSeq: number | undefined,
): Pick<Extract<MarkedEvent, { type: 'turn.ended' }>, 'place' | 'usage' | 'prefixShare'> {
  const message = answerSeq === undefined ? undefined : log.message(answerSeq)
  if (answerSeq === undefined || message?.role !== 'assistant') return { usage: noUsage }
  const { prefix } = log.marks
  const prefixShare = prefix?.seq === answerSeq ? prefix.share : undefined
  return { place: answerSeq, usage: message.usage, ...(prefixShare === undefined ? {} : { prefixShare }) }
}

/** Returns the position of a run in its turn; before the answer, the last answer belongs to an earlier turn. */
function turnAt(machine: typeof runMachine, value: unknown, context: unknown, log: RunLog): TurnStanding {
  const run = context as RunContext
  const part = turnPartOf(machine, value, run)
  const answerSeq = part === 'answered' ? log.lastAnswerSeq() : undefined
  return { turn: run.turn, isOpen: part !== 'outside', answerSeq }
}
