import { refreshCredentials } from './model/refresh-credentials.ts'
import type {
  Attempted,
  CallModelInput,
  Compacted,
  CompactPromptInput,
  RefreshCredentialsInput,
  Refreshed,
  Summarised,
  SummariseInput,
} from '../../../machines/model-call/model-call.types.ts'
import type { AskManagerInput, ManagerVerdict } from '../../../machines/run/run.permissions.ts'
import type { HoldRunInput, KeepTimeInput, PhaseVerdict, TimeOver } from '../../../machines/run/run.types.ts'
import type {
  GateReplayInput,
  Performed,
  ReplayVerdict,
  RunToolInput,
} from '../../../machines/tool-call/tool-call.types.ts'
import type { SleepInput } from '../domain/timer.ts'
import type { AgentParts } from './agent-parts.ts'
import { callModel } from './model/call-model.ts'
import type { Ask } from './plugins/ask.ts'
import { holdRun } from './hold-run.ts'
import { keepTime } from './keep-time.ts'
import { RunMemories } from './model/run-memory.ts'
import { runTool } from './tools/run-tool.ts'
import { sleep } from './sleep.ts'
import type { EffectHandler } from '../ports/effect-handler.ts'

/** The input and output of every effect of the charts. An effect without a handler does not compile. */
interface Effects {
  readonly callModel: [CallModelInput, Attempted]
  readonly refreshCredentials: [RefreshCredentialsInput, Refreshed]
  readonly compactPrompt: [CompactPromptInput, Compacted]
  readonly summarise: [SummariseInput, Summarised]
  readonly runTool: [RunToolInput, Performed]
  readonly gateReplay: [GateReplayInput, ReplayVerdict]
  readonly ask: Ask
  readonly holdRun: [HoldRunInput, PhaseVerdict]
  readonly askManager: [AskManagerInput, ManagerVerdict]
  readonly keepTime: [KeepTimeInput, TimeOver]
  readonly sleep: [SleepInput, undefined]
}

/** The name of an effect's actor in a chart. */
export type EffectName = keyof Effects

type HandlersByName = { readonly [Name in EffectName]: EffectHandler<Effects[Name][0], Effects[Name][1]> }

/**
 * Returns the effect handlers of one agent. Those of plugins, permissions, memory and summaries are loaded on first
 * use.
 */
export function effectHandlers(parts: AgentParts): HandlersByName {
  const memories = new RunMemories()
  return {
    callModel: callModel(parts, memories),
    refreshCredentials: refreshCredentials(parts),
    compactPrompt: loadedHandler({ ...local, readsTranscript: true }, async () => {
      const { compactPrompt } = await import('./model/compact-prompt.ts')
      return compactPrompt(parts, memories)
    }),
    summarise: loadedHandler({ kind: 'recorded', readsTranscript: true }, async () => {
      const { summarise } = await import('./model/summarise.ts')
      return summarise(parts, memories)
    }),
    runTool: runTool(parts),
    gateReplay: loadedHandler(local, async () => (await import('./permissions/gate-replay.ts')).gateReplay(parts)),
    ask: loadedHandler(local, async () => (await import('./plugins/ask.ts')).askPhase(parts)),
    holdRun,
    askManager: loadedHandler(local, async () => (await import('./permissions/ask-manager.ts')).askManager(parts)),
    keepTime,
    sleep,
  }
}

const local = { kind: 'local' } as const

/**
 * Returns a handler whose file is loaded when the effect is first performed, because few runs need it. If the file
 * cannot be loaded, the effect fails as if its handler had thrown.
 */
export function loadedHandler<Input, Output>(
  head: Pick<EffectHandler<Input, Output>, 'kind' | 'readsTranscript'>,
  load: () => Promise<EffectHandler<Input, Output>>,
): EffectHandler<Input, Output> {
  let handler: EffectHandler<Input, Output> | undefined
  return {
    ...head,
    perform: async (input, context) => {
      if (handler === undefined) {
        handler = await load()
        // The effect was withdrawn while its file was loading.
        context.signal.throwIfAborted()
      }
      return handler.perform(input, context)
    },
  }
}
