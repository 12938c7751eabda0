import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Agent, type AgentOptions, createAgent, type Store, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { call, calls } from '../support/say.ts'

/** Milliseconds that a lease lasts. */
export const leaseMs = 2000

/**
 * Two agents. The first looks something up, asks a person, does something once, looks again and says that it is done. The
 * second is the root of a family of four members on three levels, whose lowest member works as the first agent does. Payments
 * are written down in the file `journal`.
 */
export function chaosAgents(store: Store, journal: string): readonly [Agent, Agent] {
  const pay = tool({
    name: 'pay',
    description: 'Pays, once.',
    input: { type: 'object' },
    needs: 'approval',
    effects: 'once',
    execute: async (_, { runId }) => {
      appendFileSync(journal, `${runId}\n`, { flush: true })
      // Its driver may die or be stopped between the payment and the record of it.
      await pause(20)
      return 'paid'
    },
  })
  const look = tool({
    name: 'look',
    description: 'Looks something up.',
    input: { type: 'object' },
    effects: 'none',
    execute: async () => {
      await pause(20)
      return 'seen'
    },
  })
  const looks = calls(call('c1', 'look'))
  const agent = (name: string, tools: NonNullable<AgentOptions['tools']>, answers: Parameters<typeof scripted>[0]) =>
    createAgent({ name, model: scripted(answers), tools, store, leaseMs })
  const payer = agent('payer', [pay, look], [looks, calls(call('c2', 'pay')), calls(call('c3', 'look')), 'Done.'])
  const work = { prompt: 'Pay.' }
  const works = (member: Agent) => member.asTool({ description: 'Works.' })
  const clerk = agent('clerk', [works(payer)], [calls(call('c1', 'payer', work)), 'Done.'])
  const scout = agent('scout', [look], [looks, 'Done.'])
  const both = calls(call('c1', 'clerk', work), call('c2', 'scout', work))
  return [payer, agent('head', [works(clerk), works(scout)], [both, 'Done.'])]
}
