import { type AgentOptions, createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const call = (name: string) => ({ id: name, name, arguments: {} })

/** An agent whose model makes two calls at once, of which one asks, and then answers. */
export function clerk({
  store,
  inspect,
  look,
}: Required<Pick<AgentOptions, 'store' | 'inspect'>> & { look(): Promise<string> }) {
  const looking = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    effects: 'none',
    execute: look,
  })
  const sending = tool({
    name: 'send',
    description: 'Sends.',
    input: { type: 'object' },
    needs: 'approval',
    execute: () => 'sent',
  })
  const model = scripted(({ messages }) => {
    const isFirst = !messages.some(({ role }) => role === 'toolResult')
    return isFirst ? { toolCalls: [call('look'), call('send')] } : 'Done.'
  })
  return createAgent({ name: 'clerk', model, tools: [looking, sending], store, inspect, onPartialSuspension: 'wait' })
}
