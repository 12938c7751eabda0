import type { ActorLogic, ActorRefFrom, Snapshot, SnapshotFrom } from 'xstate'
import { type RunMachine, runMachine } from '../../../machines/run/run.machine.ts'
import type { QueuedKind } from '../../../machines/run/run.input-types.ts'
import type { RunEvent, RunInput, RunOutput } from '../../../machines/run/run.types.ts'
import type { AgentParts } from '../effects/agent-parts.ts'
import type { AgentEvent } from '../domain/event.ts'
import { type Json, type JsonObject, frozenCopy, isRecord } from '../domain/text/json.ts'
import type { LogEntry } from '../domain/log.ts'
import { type InputMessage, type Message, type Said, textOf } from '../domain/message.ts'
import { nameInspectedRun } from '../domain/inspected-run.ts'
import { originOf } from '../domain/run-origin.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Asking, LiveActor, OutboxOf } from '../step/effect-logic.ts'
import { checkProvided } from './check-provided.ts'
import { checkRestored } from './check-restored.ts'
import { asHead } from './plain-heads.ts'
import { checkPair, type PlainLog } from './plain-log.ts'
import { PlainRun } from './plain-run.ts'
import type { ChartReading, PlainRunParts } from './plain-run-parts.ts'
import { type ActorTable, type ProvidedActors, providedHandlers, providedNames } from './plain-actors.ts'

/** Options of `agent.provide`; all are optional. */
export interface ProvideOptions {
  /** The log of a restored snapshot, as received from `onLog`. */
  readonly log?: PlainLog
  /** Receives the whole log after each step that changed it, and before `getPersistedSnapshot()` returns a snapshot. */
  readonly onLog?: (log: PlainLog) => void
  /** The time limit of an actor from `provide`, in milliseconds. Default 600,000; `Infinity`: no limit. */
  readonly actorTimeoutMs?: number
}

/** A snapshot of a run's machine in XState's persisted form, with its log. */
export interface PlainPair {
  readonly snapshot: Snapshot<unknown>
  readonly log: PlainLog
}

/** The result of `agent.machineInput`. */
export interface PlainRunInput extends RunInput {
  /** The transcript that the run continues. */
  readonly after?: readonly Message[]
}

/** The input of a bare actor: a user message, or the result of `agent.machineInput`. */
export type PlainInput = Said | PlainRunInput

/** The output of a bare actor that is done. */
export interface PlainOutput extends RunOutput {
  /** The last answer of the model in this run; empty without an answer. */
  readonly text: string
  /** The whole transcript, including the transcript of the continued run. */
  readonly messages: readonly Message[]
}

/** The snapshot of a bare actor: the snapshot of the run's chart. */
export type PlainSnapshot =
  | Exclude<SnapshotFrom<RunMachine>, { readonly status: 'done' }>
  | (Omit<Extract<SnapshotFrom<RunMachine>, { readonly status: 'done' }>, 'output'> & { readonly output: PlainOutput })

/** The implementations for `provide`: XState's for the run's chart, and the actors of its nested charts. */
export type PlainImplementations = Omit<Parameters<RunMachine['provide']>[0], 'actors'> & {
  readonly actors?: Omit<NonNullable<Parameters<RunMachine['provide']>[0]['actors']>, 'ask' | 'keepTime'> &
    Partial<ProvidedActors>
}

/**
 * The run machine of one agent, for `createActor` in any application. Its actors emit the agent's events
 * (`actor.on('message.ended', …)`), perform effects at once, and have the messages in their output.
 */
export interface PlainMachine
  extends
    Omit<
      ActorLogic<
        PlainSnapshot,
        | RunEvent
        // A bare actor has no inbox, so the event of a message holds the messages.
        | {
            readonly type: 'message.queued'
            readonly queued: { readonly kind: QueuedKind; readonly messages: readonly InputMessage[] }
            readonly at: number
          },
        PlainInput | undefined,
        Parameters<RunMachine['transition']>[2]['system'],
        AgentEvent
      >,
      'config'
    >,
    Pick<RunMachine, 'id' | 'config' | 'implementations' | 'root' | 'states' | 'events' | 'definition'> {
  /**
   * Replaces the agent's implementations, including those of nested charts (`runTool`, `callModel`). Throws a
   * `UsageError` `bad_option` for a name that no chart uses.
   */
  provide(implementations: PlainImplementations): PlainMachine
}

/** An actor of `agent.machine`, created by `createActor` or invoked by an application's machine. */
export type PlainActor = ActorRefFrom<PlainMachine>

/** The charts of a run: bound to the outbox of their effects, with functions that read them. */
export interface PlainCharts extends ChartReading {
  readonly assemble: (outboxOf: OutboxOf) => RunMachine
}

/** The dependencies of a bare actor's machine. */
export interface PlainMachineParts {
  readonly charts: PlainCharts
  /** The agent's name. */
  readonly name: string
  readonly parts: AgentParts
  readonly clock: Clock
  readonly ids: Ids
  readonly inputOf: (given: Said) => RunInput
  /** The options of a stored run that the current code overrides. */
  readonly current: JsonObject
  /** The runs of actors; a decision finds its run here. */
  readonly runs: WeakMap<object, PlainRun>
}

type Scope = Asking & { readonly emit: (event: AgentEvent) => void }
type Standing = Snapshot<unknown> & { readonly context: Json }

/** The replaced methods of a machine, declared here because XState does not export usable types for them. */
interface Overridable {
  getInitialSnapshot(scope: Scope, input: unknown): Standing
  restoreSnapshot(persisted: unknown, scope: Scope): Standing
  getPersistedSnapshot(snapshot: Standing, options?: unknown): Snapshot<unknown>
  transition(snapshot: Standing, event: unknown, scope: Scope): Standing
  start(snapshot: Standing, scope: Scope): void
  provide(implementations: object): object
}

/** Returns the machine of a bare actor, whose log is kept in memory. */
export function plainMachine(
  parts: PlainMachineParts,
  options: ProvideOptions,
  actors: ActorTable = {},
  implementations: readonly object[] = [],
): PlainMachine {
  const { runs } = parts
  const { actorTimeoutMs = 600_000 } = options
  const handlers = providedHandlers(parts.parts, actors, { clock: parts.clock, actorTimeoutMs })
  const assembled = parts.charts.assemble((asking) => runOf(asking, runs)) as unknown as Overridable
  const machine = implementations.reduce<Overridable>((made, more) => made.provide(more) as Overridable, assembled)
  const { getInitialSnapshot, restoreSnapshot, getPersistedSnapshot, transition, start } = machine
  const runBySnapshot = new WeakMap<object, PlainRun>()
  const restored = new WeakSet<PlainRun>()

  const open = (
    { self, emit }: Scope,
    head: Pick<PlainRunParts, 'runId' | 'entries' | 'carried' | 'decisions' | 'given' | 'said'>,
  ) => {
    const { charts, clock, ids, name } = parts
    const origin = originOf(head.runId, name, head.carried === 0 ? {} : { continuation: { kind: 'default' } })
    const run = new PlainRun({ ...head, charts, origin, root: self, handlers, clock, ids, emit, onLog: options.onLog })
    runs.set(self, run)
    nameInspectedRun(self, head.runId)
    return run
  }
  const kept = (run: PlainRun, snapshot: Standing) => {
    runBySnapshot.set(snapshot, run)
    return snapshot
  }
  const overrides: Overridable = {
    getInitialSnapshot: (scope, input) =>
      throwingOnStart(scope, () => {
        const { after = [], ...runInput } = newInput(input, options, parts)
        const { options: _, ...given } = runInput
        const runId = parts.ids.next('run')
        const entries = entriesOf(after)
        const run = open(scope, { runId, entries, carried: entries.length, decisions: [], given, said: [] })
        return kept(run, getInitialSnapshot(scope, runInput))
      }),
    restoreSnapshot: (persisted, scope) =>
      throwingOnStart(scope, () => {
        const { snapshot, link, entries } = checkPair(persisted, options.log)
        const { runId, decisions, carried = 0, given = { messages: [] }, said = [] } = link
        const run = open(scope, { runId, entries, carried, decisions, given, said })
        restored.add(run)
        return kept(
          run,
          readable(link.runId, () => {
            const standing = restoreSnapshot(withCurrent(snapshot, parts.current), scope)
            checkRestored(link.runId, standing)
            // A stored run that is done has only its outcome; the rest of its output is in the log.
            if (standing.status !== 'done') return standing
            return { ...standing, output: outputOf(standing.output as RunOutput, run) }
          }),
        )
      }),
    getPersistedSnapshot: (snapshot, given) => {
      const run = runBySnapshot.get(snapshot)
      const persisted = getPersistedSnapshot(snapshot, given)
      return run === undefined ? persisted : { ...persisted, ...{ plain: run.link() } }
    },
    transition: (snapshot, event, scope) => {
      const run = runOf(scope, runs)
      const next = transition(snapshot, asHead(event, run), scope)
      if (next.status !== 'done') return kept(run, next)
      // Announces the end after the observers have received it, because an actor that has ended removes its listeners
      // then.
      scope.self.subscribe({ complete: () => run.tell() })
      return kept(run, { ...next, output: outputOf(next.output as RunOutput, run) })
    },
    start: (snapshot, scope) => {
      start(snapshot, scope)
      const run = runOf(scope, runs)
      if (restored.has(run)) run.wake()
    },
    provide: (wanted: { actors?: object }) => {
      checkProvided(wanted, implementationNames)
      const { actors: given = {}, ...own } = wanted
      const isNested = ([name]: [string, unknown]) => (providedNames as readonly string[]).includes(name)
      const nested = Object.fromEntries(Object.entries(given).filter(isNested))
      const rest = Object.fromEntries(Object.entries(given).filter((entry) => !isNested(entry)))
      return plainMachine(parts, options, { ...actors, ...nested }, [...implementations, { ...own, actors: rest }])
    },
  }
  return Object.assign(machine, overrides) as unknown as PlainMachine
}

const implementationNames = Object.fromEntries(
  Object.entries(runMachine.implementations).map(([kind, known]) => {
    const nested: readonly string[] = kind === 'actors' ? providedNames : []
    return [kind, [...new Set([...Object.keys(known), ...nested])]] as const
  }),
)

/** Returns the run of an actor: its own, or that of its nearest ancestor with one. */
function runOf({ self }: Pick<Asking, 'self'>, runs: PlainMachineParts['runs']): PlainRun {
  for (let actor: LiveActor | undefined = self; actor !== undefined; actor = actor._parent) {
    const run = runs.get(actor)
    if (run !== undefined) return run
  }
  throw new UsageError(
    'bad_actor',
    'A chart of this agent acts outside its run. Make actors of agent.machine itself; transition() and getShortestPaths() take runMachine of statewright/machines.',
  )
}

/** Throws a creation error at `start`: XState passes such an error to observers, and a root has none yet. */
function throwingOnStart(scope: Scope, make: () => Standing): Standing {
  try {
    return make()
  } catch (error) {
    if (scope.self._parent === undefined) {
      scope.self.start = () => {
        throw error
      }
    }
    throw error
  }
}

function newInput(input: unknown, { log }: ProvideOptions, { inputOf }: PlainMachineParts): PlainRunInput {
  if (log !== undefined) {
    const wish = 'Give createActor the snapshot it was kept with, or leave the log out for a new run.'
    throw new UsageError('bad_option', `A log was given to agent.provide, and no snapshot to createActor. ${wish}`)
  }
  if (isRecord(input) && isRecord(input['options']) && Array.isArray(input['messages'])) {
    return input as unknown as PlainRunInput
  }
  return inputOf(input as string)
}

function entriesOf(messages: readonly Message[]): readonly LogEntry[] {
  const copied = frozenCopy(messages) ?? []
  return copied.map((message, index) => ({ kind: 'message', seq: index + 1, message }))
}

/** Replaces the options that come from the current code, such as plugins and models, as the engine does. */
function withCurrent(snapshot: JsonObject, current: JsonObject): JsonObject {
  const { context } = snapshot
  if (!isRecord(context) || !isRecord(context['options'])) return snapshot
  return { ...snapshot, context: { ...context, options: { ...context['options'], ...current } } }
}

function readable(runId: string, restore: () => Standing): Standing {
  try {
    return restore()
  } catch (cause) {
    if (cause instanceof SnapshotError) throw cause
    throw new SnapshotError(runId, `the charts reject its state (${thrownText(cause)})`, { cause })
  }
}

function outputOf(output: RunOutput, run: PlainRun): PlainOutput {
  const answer = run.lastAnswer()
  return { ...output, text: answer === undefined ? '' : textOf(answer), messages: run.messages() }
}
