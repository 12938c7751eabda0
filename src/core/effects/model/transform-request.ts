import type { CallModelInput } from '../../../../machines/model-call/model-call.types.ts'
import { defined, frozenCopy, isRecord } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { Model } from '../../ports/model.ts'
import { PromptBuilder } from '../../prompt/prompt-builder.ts'
import type { AgentParts } from '../agent-parts.ts'
import { askPlugin, listening } from '../ask-code.ts'
import { checkOverride } from './check-override.ts'
import { type PlannedRequest, oneOf, requestContext } from './request-parts.ts'
import { isModelMessage } from '../plugins/plain-input.ts'

interface Attempt {
  readonly model: Model
  readonly input: Pick<CallModelInput, 'turn' | 'isFinishing'>
}

/**
 * Passes a request from plugin to plugin. Whatever they change, every call has one result, only offered tools are
 * included, and a finishing call has no tools. A plugin that throws ends the run with the plugin's name.
 */
export async function transformRequest(
  { plugins, pluginTimeoutMs }: AgentParts,
  planned: PlannedRequest,
  { model, input }: Attempt,
  context: EffectContext,
): Promise<PlannedRequest> {
  let request = frozenCopy(planned, { keeps: oneOf(planned.messages) }) ?? planned
  for (const plugin of listening(plugins, 'transformRequest')) {
    const given = request
    request = await askPlugin(plugin, 'transformRequest', { ...context, pluginTimeoutMs }, async ({ signal }) => {
      const about = requestContext(model, input.turn, context, signal)
      return checkedRequest(await plugin.transformRequest?.(given, about), given)
    })
  }
  const messages = new PromptBuilder().build(request.messages)
  return {
    ...request,
    messages,
    ...seenOf(messages, planned),
    ...(input.isFinishing ? { toolChoice: 'none' as const } : {}),
  }
}

/** A message of a plugin is new to the model. */
function seenOf(messages: PlannedRequest['messages'], { messages: planned, seen = [] }: PlannedRequest) {
  const counts = new Map(planned.map((message, place) => [message, seen[place] ?? 0]))
  return { seen: messages.map((message) => counts.get(message) ?? 0) }
}

const wish = 'Expected the given request or a changed copy of it: { system, messages, tools, … }.'
const fields = ['system', 'messages', 'seen', 'answers', 'tools', 'cache', 'output', 'lifecycle']

/** Returns a request as our own plain JSON; throws if it is unusable. */
function checkedRequest(returned: unknown, given: PlannedRequest): PlannedRequest {
  const copy: unknown = frozenCopy(returned, { keeps: oneOf(given.messages) })
  if (!isRecord(copy)) throw new TypeError(`The request ${copyJson(returned).problem ?? 'is not an object'}. ${wish}`)
  const { system, messages, tools, cache, output } = copy
  if (typeof system !== 'string') throw new TypeError(`The request has no text as system. ${wish}`)
  if (!Array.isArray(messages)) throw new TypeError(`The request has no list of messages. ${wish}`)
  const unreadable = messages.findIndex((message) => !isModelMessage(message))
  if (unreadable >= 0) throw new TypeError(`Message ${unreadable} of the request is not valid for a model. ${wish}`)
  if (cache !== undefined && typeof cache !== 'string' && !isRecord(cache)) {
    throw new TypeError('The request has no readable cache. Expected auto, disabled or { system?, tools?, messages? }.')
  }
  if (output !== undefined && !(isRecord(output) && typeof output['name'] === 'string' && isRecord(output['schema']))) {
    throw new TypeError('The request has no readable output. Expected { name, schema }.')
  }
  if ('model' in copy) throw new TypeError('A request names no model. Use override({ model }) in beforeModel.')
  checkTools(tools, given)
  checkOverride(Object.fromEntries(Object.entries(copy).filter(([field]) => !fields.includes(field))), [])
  const { lifecycle, answers } = given
  return {
    ...(copy as unknown as PlannedRequest),
    ...defined({ lifecycle, answers }),
  }
}

function checkTools(tools: unknown, given: PlannedRequest): void {
  const known = given.tools.map(({ name }) => name)
  if (!Array.isArray(tools)) throw new TypeError(`The request has no list of tools. ${wish}`)
  for (const tool of tools) {
    const { name, description, parameters } = isRecord(tool) ? tool : {}
    if (typeof name !== 'string' || typeof description !== 'string' || !isRecord(parameters)) {
      throw new TypeError('A tool of the request is invalid. Expected { name, description, parameters }.')
    }
    if (!known.includes(name)) {
      throw new TypeError(`Tool "${name}" of the request was not offered. Offered: ${known.join(', ') || 'none'}.`)
    }
  }
}
