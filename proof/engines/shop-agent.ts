import { type ReplyFunction, type ScriptedAnswer, scripted } from '../../src/adapters/providers/scripted.ts'
import { type Agent, createAgent, type Store, tool } from '../../src/index.ts'
import { call, calls } from '../support/say.ts'

interface ShopParts {
  readonly store: Store
  /** Acts on the outside, e.g. `/pay/run-1`. */
  readonly act: (path: string) => Promise<string>
  /** The crash policy of a payment. Default `once`. */
  readonly payment?: 'once' | 'none'
}

/** Returns the reply to the prompt "Ask.", or the one to any other prompt. */
function either(asking: string | ScriptedAnswer, shopping: ScriptedAnswer): ReplyFunction {
  return ({ messages }) => (JSON.stringify(messages[0]).includes('Ask.') ? asking : shopping)
}

const input = { type: 'object' } as const

/** An agent that looks something up, has a sub-agent pay with an approval, looks again and ends. */
export function shopAgent({ store, act, payment = 'once' }: ShopParts): Agent {
  const pay = tool({
    name: 'pay',
    description: 'Pays, once.',
    input,
    needs: 'approval',
    effects: payment,
    execute: (_, { runId }) => act(`/pay/${runId}`),
  })
  const look = tool({
    name: 'look',
    description: 'Looks something up.',
    input,
    effects: 'none',
    execute: (_, { runId }) => act(`/look/${runId}`),
  })
  const ask = tool({
    name: 'ask',
    description: 'Asks a person, who has two seconds.',
    input,
    execute: (_, { suspend }) => suspend({ message: 'Well?', expiresAt: Date.now() + 2000 }),
  })
  const clerk = createAgent({ name: 'clerk', model: scripted([calls(call('p1', 'pay')), 'Paid.']), tools: [pay] })
  const pays = clerk.asTool({ description: 'Pays a bill.' })
  const delegates = calls(call('c2', 'clerk', { prompt: 'Pay the bill.' }))
  const model = scripted([
    either(calls(call('c1', 'ask')), calls(call('c1', 'look'))),
    either('Nobody answered.', delegates),
    calls(call('c3', 'look')),
    'Done.',
  ])
  return createAgent({ name: 'shop', model, tools: [look, pays, ask], store })
}
