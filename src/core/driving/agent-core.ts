import type { RunContext, RunOptions } from '../../../machines/run/run.types.ts'
import { refuseGroup } from '../domain/branch-group.ts'
import type { AgentParts } from '../effects/agent-parts.ts'
import type { AgentTools, ToolTable } from '../effects/agent-tools.ts'
import type { Continuation } from '../domain/continuation.ts'
import { freezeDeep, isRecord, type Json, type JsonObject } from '../domain/text/json.ts'
import type { EffectHandlers } from '../ports/effect-handler.ts'
import type { Charts } from '../runtime/stepper.ts'
import type { Inspect } from '../ports/inspect.ts'
import type { TakenLease } from '../runtime/held-lease.ts'
import type { StoredRun } from '../ports/store.ts'
import type { Tool } from '../ports/tool.ts'
import type { InboxRow } from '../domain/inbox.ts'
import { type TriedRun, tryRun } from '../runtime/load-run.ts'
import { Drive } from '../runtime/drive.ts'
import { useGrant } from '../domain/granted.ts'
import { currentOwner, type Owner } from '../domain/owner.ts'
import { effectHandlers } from '../effects/effect-handlers.ts'
import { runOptionsOf, watchedBy } from './run-options.ts'
import { memoryItems } from './memory-items.ts'
import { OpenRuns } from './open-runs.ts'
import type { AgentVersion } from './agent-version.ts'
import { readInput } from './read-input.ts'
import { liveAnswerWriter } from './live-answer-writer.ts'
import { RunWatchers } from './run-watchers.ts'
import { runCharts, toEvent } from './run-charts.ts'
import { runConfiguration } from './run-configuration.ts'
import type { Completion, DriveOptions } from '../runtime/drive-options.ts'

/** A run of a conversation, whole. */
type Spoken = Pick<StoredRun, 'record' | 'input' | 'log'> & { readonly lastSeq: number }

/** The hand-over of conversations to other agents. */
export interface Speech {
  /** Returns the agent that continues after a run, with further fields of its input if the run has handed over. */
  after(original: Spoken): Promise<{ readonly core: AgentCore; readonly facts?: JsonObject }>
  /** Stores the next run of a session, and returns its id; undefined if the session already has a next run. */
  begin(
    sessionId: string,
    from: { readonly original: Spoken; readonly continuation: Continuation; readonly facts?: JsonObject },
  ): Promise<string | undefined>
}

/** The tools of an agent. They may have to be opened first. */
export interface OwnTools extends AgentTools {
  /** Undefined if there is nothing to open. */
  open(): Promise<void> | undefined
  /** Finds a tool without a run. A toolset that cannot be opened has no tools. */
  find(name: string): Promise<Tool | undefined>
  /** The tools without opening anything; undefined if a toolset is not open. */
  readonly known: ToolTable | undefined
  /** The tools that belong to no toolset. */
  readonly own: ToolTable
  /** The reason why a closed toolset failed when it was last asked; undefined without a failure. */
  readonly failure: Error | undefined
  close(): Promise<void>
}

/** The dependencies of the effect handlers; the tools may be opened and closed. */
export interface OwnParts extends AgentParts {
  readonly tools: OwnTools
}

/** The shared state of one agent's runs. */
export interface AgentCore
  extends AgentVersion, Pick<DriveOptions, 'store' | 'clock' | 'ids' | 'leaseMs' | 'toEvent' | 'tracer'> {
  readonly name: string
  /** The agent's name in sessions and events. */
  readonly agentId: string
  readonly parts: OwnParts
  /** The configuration id of its runs in sessions; absent if it is derived from model and thinking. */
  readonly configId?: string
  /** Names that configuration for people. */
  readonly configName?: string
  /** The agent that continues after its runs. Default: itself. */
  readonly successor?: AgentCore
  /** The way in which conversations are handed over; absent in an agent without a family. */
  readonly speech?: Speech
  /** The default of `history` for the runs that it starts. */
  readonly history: boolean
  /** Returns the options that a new run stores; with a quota, its maximum model calls. */
  runOptions(quota?: number): RunOptions
  readonly openRuns: OpenRuns
  readonly watchers: RunWatchers
  newOwner(): Owner
  openDrive(taken: TakenLease): Drive
  tryRun(stored: StoredRun, said: readonly InboxRow[]): TriedRun
}

/** The chart that an agent's runs use instead of the run chart, with its parts. */
export interface RootChart {
  readonly charts: Charts
  /** Handlers of effects that the run chart does not know. */
  readonly handlers: EffectHandlers
  /** Returns the input of the root machine. */
  inputOf(runId: string, stored: Json): unknown
  readonly toEvent: DriveOptions['toEvent']
}

/** The dependencies of an agent, from its checked options. */
export interface CoreOptions
  extends
    Pick<DriveOptions, 'accountFor'>,
    Omit<
      AgentCore,
      'agentId' | 'history' | 'toEvent' | 'runOptions' | 'openRuns' | 'watchers' | 'newOwner' | 'openDrive' | 'tryRun'
    > {
  /** Default: the name. */
  readonly agentId?: string
  /** Default: those of an agent without options. */
  readonly runOptions?: AgentCore['runOptions']
  /** Default false. */
  readonly history?: boolean
  readonly inspect?: Inspect
  /** Default: ours. */
  readonly charts?: Charts
  /** Default: the run chart. */
  readonly root?: RootChart
}

/** Creates the state that all runs of an agent share. */
export function agentCore({ inspect, root, ...options }: CoreOptions): AgentCore {
  const { parts, clock } = options
  const { charts = options.charts ?? runCharts } = root ?? {}
  const handlers: EffectHandlers = { ...effectHandlers(parts), ...root?.handlers }
  const watchers = new RunWatchers()
  const told = root?.toEvent ?? toEvent.bind(undefined, () => runConfiguration(parts, options.configName))
  const served = { name: options.name, hasOutput: parts.output !== undefined }
  const completionFor = async (runId: string): Promise<Completion> => {
    const { completionItems } = await import('./completion.ts')
    return (ended, at) => completionItems(served, runId, ended, at)
  }
  // Plugins and models come from current code: a gate added since the run began is asked, not left out.
  const current = { watched: watchedBy(parts), fallbacks: parts.models.length - 1 }
  const inputOf = (runId: string) => (stored: Json) => {
    if (root !== undefined) return root.inputOf(runId, stored)
    if (isRecord(stored) && stored['branches'] !== undefined) refuseGroup(runId, stored)
    const input = readInput(runId, stored)
    // Inspectors of the run receive values that are frozen once.
    return { ...input, options: freezeDeep({ ...input.options, ...current }) }
  }
  return {
    ...options,
    agentId: options.agentId ?? options.name,
    history: options.history === true,
    runOptions: options.runOptions ?? (() => runOptionsOf({})),
    toEvent: told,
    tryRun: (stored, said) => tryRun(stored, { charts, clock, machineInput: inputOf(stored.record.id) }, said),
    openRuns: new OpenRuns(options.name),
    watchers,
    newOwner: () => currentOwner(options.ids.next('own')),
    openDrive: (taken) => {
      const { runId } = taken.lease
      let live: ReturnType<typeof liveAnswerWriter> | undefined
      return new Drive({
        ...options,
        ...taken,
        charts,
        handlers,
        machineInput: inputOf(runId),
        keptInput: (stored, context) => withoutTaken(stored, context as RunContext),
        grantsFor: (agent, run, input) => ({
          of: async (toolName, callId) => {
            const earlier = (run.speakers ?? []).flatMap((name) => parts.rulesOfSpeaker?.(name) ?? [])
            const above = [...new Set([...(parts.inherited ?? []), ...earlier].map((level) => level.agent))]
            const { grantsOfCall } = await import('./list-grants.ts')
            return grantsOfCall(options.store, { agent, above, run, input, toolName, callId })
          },
          use: (grantId, entry) => options.store.change(useGrant(grantId, entry, clock.now())),
        }),
        emit: (event, behind) => {
          watchers.tell(event, behind)
          if (event.type === 'message.updated') {
            live ??= liveAnswerWriter(options.store, clock, taken.lease, () => watchers.answerOf(runId))
          }
          live?.(event)
        },
        toEvent: told,
        completionOf: (stored) =>
          parts.rulesOfSpeaker !== undefined ||
          (isRecord(stored) && (stored['served'] ?? stored['family']) !== undefined)
            ? completionFor(runId)
            : undefined,
        ...(parts.isRemembering === true && { remembering: (made, at) => memoryItems(options.name, runId, made, at) }),
        ...(inspect === undefined ? {} : { inspect }),
      })
    },
  }
}

/**
 * Keeps the input of a run until the chart has handed it on. Messages that are in the log, or rejected, are not kept
 * twice.
 */
function withoutTaken(stored: Json, { input }: RunContext): Json | undefined {
  if (input !== 'taken' || !isRecord(stored) || !Array.isArray(stored['messages'])) return undefined
  if (stored['messages'].length === 0) return undefined
  const { value: _, ...others } = stored
  return { ...others, messages: [] }
}
