import type { ActorLogic, ActorRefFrom, Snapshot, SnapshotFrom } from 'xstate'
import { type RunMachine, runMachine } from '../../../machines/run/run.machine.ts'
import type { RunEvent, RunInput, RunOutput } from '../../../machines/run/run.types.ts'
import type { AgentParts } from '../effects/agent-parts.ts'
import type { AgentEvent } from '../domain/event.ts'
import type { Json, JsonObject } from '../domain/text/json.ts'
import { frozenCopy, isRecord } from '../domain/text/json.ts'
import type { LogEntry } from '../domain/log.ts'
import { type Message, type Said, textOf } from '../domain/message.ts'
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
import { withDefaults } from './plain-defaults.ts'
import { asHead } from './plain-heads.ts'
import { checkPair, type PlainLog } from './plain-log.ts'
import { PlainRun } from './plain-run.ts'
import type { ChartReading, PlainRunParts } from './plain-run-parts.ts'
import { type ActorTable, type ProvidedActors, providedHandlers, providedNames } from './plain-actors.ts'

/** How the machine of a bare actor is provided; all of it optional. */
export interface ProvideOptions {
  /** The log a snapshot belongs to, as `onLog` gave it; for an actor that is restored. */
  readonly log?: PlainLog
  /** Gets the whole log after each step that changed it, and before `getPersistedSnapshot()` gives a snapshot. */
  readonly onLog?: (log: PlainLog) => void
  /** Milliseconds an actor put in by `provide` may take. Default 600,000; `Infinity`: no limit. */
  readonly actorTimeoutMs?: number
}

/** What `agent.machineInput` makes of a prompt. */
export interface PlainRunInput extends RunInput {
  /** The transcript that the run goes on from. */
  readonly after?: readonly Message[]
}

/** What a bare actor starts with: what the user says, or the input `agent.machineInput` makes of it. */
export type PlainInput = Said | PlainRunInput

/** The output of a bare actor that is done. */
export interface PlainOutput extends RunOutput {
  /** The last answer of the model in this run; empty where there is none. */
  readonly text: string
  /** The whole transcript, with that of the run it goes on from. */
  readonly messages: readonly Message[]
}

/** How a bare actor stands: the snapshot of the run's chart. */
export type PlainSnapshot =
  | Exclude<SnapshotFrom<RunMachine>, { readonly status: 'done' }>
  | (Omit<Extract<SnapshotFrom<RunMachine>, { readonly status: 'done' }>, 'output'> & { readonly output: PlainOutput })

/** What `provide` takes: what XState takes for the run's chart, and the actors of the charts nested in it. */
export type PlainImplementations = Omit<Parameters<RunMachine['provide']>[0], 'actors'> & {
  readonly actors?: Omit<NonNullable<Parameters<RunMachine['provide']>[0]['actors']>, 'ask' | 'keepTime'> &
    Partial<ProvidedActors>
}

/**
 * The run machine of one agent, for `createActor` in any application. Its actors tell the agent's events
 * (`actor.on('message.ended', …)`), perform effects at once, and have the messages in their output.
 */
export interface PlainMachine
  extends
    Omit<
      ActorLogic<
        PlainSnapshot,
        RunEvent,
        PlainInput | undefined,
        Parameters<RunMachine['transition']>[2]['system'],
        AgentEvent
      >,
      'config'
    >,
    Pick<RunMachine, 'id' | 'config' | 'implementations' | 'root' | 'states' | 'events' | 'definition'> {
  /**
   * Puts implementations in the place of the agent's, those of nested charts (`runTool`, `callModel`) included. Throws a
   * `UsageError` `bad_option` for a name that no chart asks for.
   */
  provide(implementations: PlainImplementations): PlainMachine
}

/** An actor of `agent.machine`, as `createActor` makes it or an application's machine invokes it. */
export type PlainActor = ActorRefFrom<PlainMachine>

/** The charts of a run: bound to where they put what they want, and read. */
export interface PlainCharts extends ChartReading {
  readonly assemble: (outboxOf: OutboxOf) => RunMachine
}

/** What the machine of a bare actor is made of. */
export interface PlainMachineParts {
  readonly charts: PlainCharts
  /** Of the agent. */
  readonly name: string
  readonly parts: AgentParts
  readonly clock: Clock
  readonly ids: Ids
  readonly inputOf: (given: Said) => RunInput
  /** What of a stored run's options current code decides. */
  readonly current: JsonObject
  /** Finds the run of an actor; a decision is handed in by it. */
  readonly runs: WeakMap<object, PlainRun>
}

type Scope = Asking & { readonly emit: (event: AgentEvent) => void }
type Standing = Snapshot<unknown> & { readonly context: Json }

/** The parts of a machine that are replaced; the interpreter's own types of them are out of reach here. */
interface Overridable {
  getInitialSnapshot(scope: Scope, input: unknown): Standing
  restoreSnapshot(persisted: unknown, scope: Scope): Standing
  getPersistedSnapshot(snapshot: Standing, options?: unknown): Snapshot<unknown>
  transition(snapshot: Standing, event: unknown, scope: Scope): Standing
  start(snapshot: Standing, scope: Scope): void
  provide(implementations: object): object
}

/** The machine of a bare actor, whose log is kept in memory. */
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
            const whole = withDefaults(snapshot, parts.charts.defaults(beginningOf(snapshot)))
            const standing = restoreSnapshot(withCurrent(whole, parts.current), scope)
            checkRestored(link.runId, standing)
            return standing
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
      // An actor that has ended lets go of its listeners as soon as its observers have heard of it.
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

/** What the run's chart asks for, and the actors of the charts nested in it. */
const implementationNames = Object.fromEntries(
  Object.entries(runMachine.implementations).map(([kind, known]) => {
    const nested: readonly string[] = kind === 'actors' ? providedNames : []
    return [kind, [...new Set([...Object.keys(known), ...nested])]] as const
  }),
)

/** The run an actor belongs to: its own, or that of the actor it was made by. */
function runOf({ self }: Pick<Asking, 'self'>, runs: PlainMachineParts['runs']): PlainRun {
  for (let actor: LiveActor | undefined = self; actor !== undefined; actor = actor._parent) {
    const run = runs.get(actor)
    if (run !== undefined) return run
  }
  throw new UsageError(
    'bad_actor',
    'A chart of this agent acts outside of its run. Make actors of agent.machine itself.',
  )
}

/** XState keeps what goes wrong while an actor is made for its observers; nobody may observe a root yet. */
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

/** The transcript of another run, as the first entries of a log. */
function entriesOf(messages: readonly Message[]): readonly LogEntry[] {
  const copied = frozenCopy(messages) ?? []
  return copied.map((message, index) => ({ kind: 'message', seq: index + 1, message }))
}

/** What the run of a snapshot was begun with, as far as its chart goes by it. */
function beginningOf({ context }: JsonObject): JsonObject {
  return { options: isRecord(context) ? (context['options'] ?? {}) : {}, messages: [] }
}

/** Plugins and models come from current code, as they do in the engine. */
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
    throw new SnapshotError(runId, `the charts do not take its state (${thrownText(cause)})`, { cause })
  }
}

function outputOf(output: RunOutput, run: PlainRun): PlainOutput {
  const answer = run.lastAnswer()
  return { ...output, text: answer === undefined ? '' : textOf(answer), messages: run.messages() }
}
