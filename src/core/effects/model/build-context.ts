import type { BuildContextInput, BuiltContext, ContextAsked } from '../../../../machines/run/run.input-types.ts'
import type { AskVerdict } from '../../../../machines/run/run.asks.ts'
import { isSaidByUser } from '../../domain/background.ts'
import { frozenCopy, isRecord, type Json } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import type { UserMessage } from '../../domain/message.ts'
import type { Write } from '../../domain/log.ts'
import type { EffectContext, EffectResult, RunView } from '../../ports/effect-handler.ts'
import type { ContextBuilderInput, RunInstructions } from '../../ports/run-instructions.ts'
import type { AgentParts } from '../agent-parts.ts'
import { type Asking, askPlugin, listening } from '../ask-code.ts'
import { checkedMessage } from '../plugins/plain-input.ts'
import { toolDefinitions } from './tool-definitions.ts'

/** Asks the plugins at `buildContext` for instructions and messages. The instructions are stored in the log. */
export async function buildContext(
  parts: AgentParts,
  asked: ContextAsked,
  context: EffectContext,
): Promise<EffectResult<AskVerdict>> {
  const given = buildContextInputOf(asked, context.view)
  const { system, ...made } = await built(parts, given, context)
  const at = context.clock.now()
  // Without a new message there is nothing to replace.
  const isSaid = given.messages.length > 0 || given.value !== null
  const { output, writes } = loggedContext(isSaid ? { ...made, at } : { at })
  return { output, writes: [{ kind: 'value', name: 'instructions', value: system }, ...writes] }
}

/** Returns the input from which plugins build the context of a run. */
export function buildContextInputOf({ input }: ContextAsked, view: RunView): BuildContextInput {
  const messages = view.inputAt(input).filter(isSaidByUser)
  return { messages, value: view.given.value ?? null }
}

/** Stores the built messages in the log and tells the chart only that they exist. */
export function loggedContext({ messages, at }: BuiltContext) {
  const value = messages as unknown as Json
  const writes: readonly Write[] = messages === undefined ? [] : [{ kind: 'value', name: 'prompt', value }]
  return { output: { isBuilt: messages !== undefined, at }, writes }
}

/** Asks each plugin with the instructions of the one before; the last messages win. */
async function built(
  { plugins, name, instructions, tools, pluginTimeoutMs }: AgentParts,
  { messages, value }: BuildContextInput,
  context: EffectContext,
): Promise<RunInstructions> {
  const { runId, run, trace } = context
  const traced = trace === undefined ? {} : { trace }
  const known = toolDefinitions(await tools.forTurn(context))
  // A schema may be the application's own object, which is not frozen for a builder.
  const given = { input: value ?? givenAs(messages), lifecycle: 'init' as const, tools: frozenCopy(known) ?? known }
  let made: RunInstructions = { system: instructions }
  for (const plugin of listening(plugins, 'buildContext')) {
    const shown = { ...given, agent: { name, instructions: made.system } }
    const make = async ({ shown: about, signal }: Asking<typeof shown>) =>
      checked(await plugin.buildContext?.({ ...about, ...traced, runId, run, signal } satisfies ContextBuilderInput))
    const next = await askPlugin(plugin, 'buildContext', { ...context, pluginTimeoutMs }, make, shown)
    made = { ...made, ...next }
  }
  return made
}

/** Returns the text of a prompt that is one text, else its messages. */
function givenAs(messages: readonly UserMessage[]): Json {
  const [first] = messages
  const [block] = first?.content ?? []
  const isText = messages.length === 1 && first?.content.length === 1 && block?.type === 'text'
  return isText ? block.text : (messages as unknown as Json)
}

function checked(made: unknown): RunInstructions {
  const { system, messages } = isRecord(made) ? made : {}
  if (typeof system !== 'string') throw new TypeError(`it returned no text as "system". ${wish}`)
  if (messages === undefined) return { system }
  const copied = copyJson(messages)
  if (copied.problem !== undefined || !Array.isArray(copied.value) || copied.value.length === 0) {
    throw new TypeError(`its "messages" are invalid. ${wish}`)
  }
  return { system, messages: copied.value.map(userMessageOf) }
}

function userMessageOf(given: unknown): UserMessage {
  const message = checkedMessage(given)
  if (message.role === 'user') return message
  throw new TypeError(`its "messages" hold one of role ${message.role}. ${wish}`)
}

const wish = 'Expected { system: text, messages?: user messages }.'
