import type { Run } from '../../src/core/agent/run.ts'
import { textOf } from '../../src/core/domain/message.ts'
import type { Plugin } from '../../src/core/ports/plugin.ts'
import type { Tool, ToolOptions } from '../../src/core/ports/tool.ts'
import { tool } from '../../src/core/ports/define-tool.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import type { CrashEnvironment } from '../../src/testing/crash/crash-environment.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'

const input = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
} as const

/** Options of a tool that acts. */
type ActingOptions = Partial<ToolOptions<typeof input>>

/** A model answers with a reply, or with the calls of one turn. */
type Answers = readonly (ScriptedReply | readonly ScriptedCall[])[]

/** The rest of a scenario, with further options of its agent. */
interface Others extends Omit<CrashScenario, 'name' | 'build'> {
  readonly agent?: Omit<ReturnType<CrashScenario['build']>, 'name' | 'model' | 'tools'>
}

/** A scenario whose model says the answers in order, and whose tools act on the outside, with the options by their names. */
export function scenario(
  name: string,
  answers: Answers | ((environment: CrashEnvironment) => Answers),
  tools: Readonly<Record<string, ActingOptions>> | ((environment: CrashEnvironment) => readonly Tool[]) = {},
  { agent, ...others }: Others = {},
): CrashScenario {
  return {
    name,
    ...others,
    build: (environment) => ({
      name: 'a',
      model: saying(...(typeof answers === 'function' ? answers(environment) : answers)),
      tools:
        typeof tools === 'function'
          ? tools(environment)
          : Object.entries(tools).map(([each, options]) => acting(environment, each, options)),
      ...agent,
    }),
  }
}

/** The options of a tool whose calls need an approval, and of one that may be called again. */
export const asks = { needs: 'approval' } as const
export const idempotent = { effects: 'idempotent' } as const

/** A call of a scripted answer. */
export interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly arguments: { readonly text?: string }
}

/** A call `id` of the tool `name`. */
export function call(id: string, name: string, text = id): ScriptedCall {
  return { id, name, arguments: { text } }
}

/** A scripted model; an answer may be the calls of one turn. */
export function saying(...answers: Answers) {
  const replies = answers.map((answer): ScriptedReply => (isCalls(answer) ? { toolCalls: [...answer] } : answer))
  return scripted(replies, { now: () => 0 })
}

function isCalls(answer: ScriptedReply | readonly ScriptedCall[]): answer is readonly ScriptedCall[] {
  return Array.isArray(answer)
}

/** An answer during which somebody approves a call. */
export function approvingMeanwhile(environment: CrashEnvironment, callId: string): ScriptedReply {
  return async () => {
    await environment.run.approve(callId)
    return 'One is open.'
  }
}

/** Approves the first call that waits; for `play`. */
export async function approveFirst(run: Run): Promise<unknown> {
  const { suspended } = await run.result()
  return suspended[0] && run.approve(suspended[0].callId)
}

/** The tool `hang`: sends something to the run, then waits to be stopped. */
export function hangingUntil(environment: CrashEnvironment, send: () => Promise<unknown>): Tool {
  return acting(environment, 'hang', {
    effects: 'none',
    execute: async (_, { signal }) => {
      await send()
      await untilAborted(signal)
      return 'too late'
    },
  })
}

/** A tool that acts on the outside. Its effects are `once` unless said otherwise. */
export function acting(environment: CrashEnvironment, name: string, more: ActingOptions = {}): Tool {
  return tool({
    name,
    description: `Writes a text, as ${name}.`,
    input,
    execute: (_, context) => environment.perform(context, `${name} did ${context.callId}`),
    ...more,
  })
}

/** A tool that says something to its own run before it answers; idempotent, as an interrupted call would stop the round. */
export function talking(environment: CrashEnvironment, kind: 'steer' | 'followUp', ...texts: readonly string[]): Tool {
  return acting(environment, 'says', {
    effects: 'idempotent',
    execute: async (_, context) => {
      for (const text of texts) await environment.say(kind, text)
      return environment.perform(context, 'said')
    },
  })
}

/** A filter that refuses what holds a key. */
export const noKeys: Plugin = {
  name: 'no-keys',
  filterInput: (messages) =>
    messages.some((message) => textOf(message).includes('sk-')) ? { reject: 'A key.' } : undefined,
}

/** Resolves when the signal fires. */
function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A plugin that listens to every phase and says nothing. */
export const listener: Plugin = {
  name: 'listener',
  runStart: () => {},
  stepStart: () => {},
  beforeModel: () => {},
  afterModel: () => {},
  stepEnd: () => {},
  gateCall: () => {},
  reviewCall: () => {},
  runEnd: () => {},
}
