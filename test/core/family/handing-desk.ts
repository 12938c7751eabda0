import { type Agent, type AgentOptions, createAgent, type Store, textOf } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'

/** An answer that makes these calls. */
export const calling = (...names: readonly string[]): ScriptedReply => ({
  toolCalls: names.map((name, place) => {
    return { id: `${name}${place}`, name, arguments: name === 'inner' ? { prompt: 'Go.' } : {} }
  }),
})

/** A desk that hands conversations over to repairs. Both answer from one script, by the place in the conversation. */
export function desk(store: Store, script: readonly ScriptedReply[], options: Partial<AgentOptions> = {}): Agent {
  const { tools = [], ...others } = options
  const model = scripted(script)
  const repairs = createAgent({ name: 'repairs', model, tools: tools.filter(({ name }) => name === 'act') })
  const hands = repairs.asHandover({ when: 'Something is broken.' })
  return createAgent({ name: 'desk', store, model, tools: [hands, ...tools], ...others })
}

export async function saidIn(
  messages: ReturnType<ReturnType<Agent['session']>['messages']>,
): Promise<readonly string[]> {
  return (await messages).flatMap((one) => (one.role === 'extension' ? [] : `${one.role}: ${textOf(one)}`))
}

export async function agentsOf(store: Store): Promise<readonly string[]> {
  return (await store.list({})).flatMap((run) => ('agent' in run ? run.agent : [])).toReversed()
}

/** The messages that the model reads after a hand-over to repairs. */
export const handing = "toolResult: [The conversation goes on with 'repairs'.]"
