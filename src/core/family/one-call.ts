import { argumentsOf, type CallRecord } from '../domain/call.ts'
import { familyIn } from '../domain/family-link.ts'
import { type AssistantMessage, textOf } from '../domain/message.ts'
import type { Json } from '../domain/text/json.ts'
import { noUsage } from '../domain/usage.ts'
import type { Clock } from '../ports/clock.ts'
import type { Model } from '../ports/model.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { Store } from '../ports/store.ts'
import type { Tool, ToolContext } from '../ports/tool.ts'

const provider = 'statewright'
const id = 'one-call'

/** Returns the model of a run that performs one call. The prompt is the call's arguments as JSON. */
export function oneCall(name: string, { now }: Pick<Clock, 'now'>): Model {
  return {
    ...{ provider, id, prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
    async *stream({ messages }) {
      const [asked] = messages
      const isCalled = messages.some(({ role }) => role === 'assistant')
      const given = isCalled || asked === undefined ? null : (JSON.parse(textOf(asked)) as Json)
      const content: AssistantMessage['content'] = isCalled
        ? [{ type: 'text', text: 'The call has ended.' }]
        : [{ type: 'toolCall', id: 'call', name, arguments: given }]
      const stopReason = isCalled ? 'stop' : 'toolUse'
      const head = { role: 'assistant' as const, model: id, provider, usage: noUsage, timestamp: now() }
      yield { type: 'finished', message: { ...head, content, stopReason } }
    },
  }
}

/** Returns the prompt of such a run: the arguments of the call, as the model or a person gave them. */
export async function argumentsText(store: Store, runId: string, call: CallRecord): Promise<string> {
  const { log } = await store.read(runId)
  const messages = new Map(log.flatMap((entry) => (entry.kind === 'message' ? [[entry.seq, entry.message]] : [])))
  return JSON.stringify(argumentsOf(call, { message: (seq) => messages.get(seq) }))
}

/** Returns the tool of such a run. The call has already been judged, and is performed with its own key. */
export function performing(
  { background: _, needs: __, preview: ___, priority: ____, probe, ...tool }: Tool,
  { store, timeoutMs }: { readonly store: Store; readonly timeoutMs: number | undefined },
): Tool {
  const limit = tool.timeoutMs ?? timeoutMs
  const keyed = async <Given extends Pick<ToolContext, 'runId' | 'callId' | 'idempotencyKey'>>(given: Given) => {
    const { runId, callId, idempotencyKey } = given
    const link = familyIn(await store.input(runId))
    // Edited arguments make another call of it.
    const isEdited = idempotencyKey !== `${runId}:${callId}:0`
    return { ...given, idempotencyKey: isEdited ? idempotencyKey : (link?.idempotencyKey ?? idempotencyKey) }
  }
  return {
    ...tool,
    ...(limit === undefined ? {} : { timeoutMs: limit }),
    ...(probe && { probe: async (question: ToolContext) => probe((await keyed(question)) as never) }),
    execute: async (given, context) => tool.execute(given, await keyed(context)),
  }
}

/** Returns the part of a plugin that handles the values and the results of tools. */
export function aboutResults(plugin: Plugin): Plugin {
  const { name } = plugin
  return {
    name,
    ...(plugin.onToolValue && { onToolValue: (given) => plugin.onToolValue?.(given) ?? given.value }),
    ...(plugin.beforeUpdate && { beforeUpdate: (context) => plugin.beforeUpdate?.(context) }),
    ...(plugin.afterUpdate && { afterUpdate: (context) => plugin.afterUpdate?.(context) }),
    ...(plugin.reviewCall && { reviewCall: (context) => plugin.reviewCall?.(context) }),
    ...(plugin.afterTool && { afterTool: (context) => plugin.afterTool?.(context) }),
  }
}
