import { createAgent, type Store } from '../../../src/index.ts'
import { model, options as before, pay } from './before.ts'

/** The clerk of the next version: it pays nobody named Bob, refunds under another name, and asks about every payment. */
export const options: typeof before = {
  ...before,
  tools: [
    pay,
    ...(before.tools ?? []).flatMap((tool) =>
      'execute' in tool && tool.name === 'refund' ? [{ ...tool, name: 'pay_back' }] : [],
    ),
  ],
  permissions: { rules: { ask: ['pay', 'pay_back'], deny: ['pay(to = "Bob")'] } },
}

export const agents = (store: Store) => [createAgent({ ...options, model, store })]
