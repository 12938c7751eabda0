import { type Agent, createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const call = (id: string, name: string, given: object) => ({ toolCalls: [{ id, name, arguments: given as never }] })

/** A family of three levels, whose lowest member asks before it pays. */
export function team(store: Store): Agent {
  const pay = tool({
    name: 'pay',
    description: 'Pays a bill.',
    input: { type: 'object', properties: { euros: { type: 'number' } } },
    needs: 'approval',
    execute: () => 'Paid.',
  })
  const clerk = createAgent({
    name: 'clerk',
    model: scripted([call('p', 'pay', { euros: 12 }), 'The bill is paid.']),
    tools: [pay],
  })
  const helper = createAgent({
    name: 'helper',
    model: scripted([call('c', 'clerk', { prompt: 'Pay the bill of the harbour.' }), 'The clerk has paid.']),
    tools: [clerk.asTool({ description: 'Pays bills.' })],
  })
  return createAgent({
    name: 'boss',
    model: scripted([call('h', 'helper', { prompt: 'See to the bills.' }), 'All bills are paid.']),
    tools: [helper.asTool({ description: 'Helps.' })],
    store,
  })
}
