import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { type AgentOptions, createAgent, type Store, textOf, tool } from '../../../src/index.ts'

const ledger = process.env['LEDGER'] ?? 'ledger.txt'

/** Pays by a line in a ledger, which knows the key of each payment. */
export const pay = tool({
  name: 'pay',
  description: 'Pays somebody.',
  input: z.object({ to: z.string(), amount: z.number() }),
  execute: ({ to, amount }, { idempotencyKey }) => {
    appendFileSync(ledger, `${idempotencyKey} ${to} ${amount}\n`)
    if (process.env['DIES'] !== undefined) process.kill(process.pid, 'SIGKILL')
    return `Paid ${amount} to ${to}.`
  },
  probe: ({ idempotencyKey }) => {
    const lines = existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n') : []
    const line = lines.find((one) => one.startsWith(`${idempotencyKey} `))
    if (line === undefined) return { status: 'notDone', runAgain: true }
    const [, to, amount] = line.split(' ')
    return { status: 'done', result: `Paid ${amount} to ${to}, says the ledger.` }
  },
})

const refund = tool({
  name: 'refund',
  description: 'Pays back.',
  input: z.object({ to: z.string(), amount: z.number() }),
  execute: ({ to }) => `Paid ${to} back.`,
})

/** The clerk as it was when the runs were stored. */
export const options: Omit<AgentOptions, 'model' | 'store'> = {
  name: 'clerk',
  tools: [pay, refund],
  permissions: { rules: { ask: ['pay', 'refund'], allow: ['pay(amount = 1)'] } },
}

/** Calls the tool that a prompt names, as in `pay Ada 5`, and then ends. */
export const model = scripted(({ messages }) => {
  const [first] = messages
  const [name = '', to = '', amount] = first?.role === 'user' ? textOf(first).split(' ') : []
  const isCalled = messages.some(({ role }) => role === 'assistant')
  return isCalled ? 'Done.' : { toolCalls: [{ name, arguments: { to, amount: Number(amount) } }] }
})

export const agents = (store: Store) => [createAgent({ ...options, model, store })]
