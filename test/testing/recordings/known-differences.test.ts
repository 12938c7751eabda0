import { expect, test } from 'vitest'
import { z } from 'zod'
import { isWhole } from '../../../proof/support/sampled.ts'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import type { AgentUnderTest } from '../../../src/testing/paths/tested-options.ts'
import { diffRuns } from '../../../src/testing/recordings/diff-agents.ts'

/** The number of stored runs. The command of the whole suite plays all of them. */
const runs = isWhole ? 1_000 : 40
let performed = 0

const sendIf = (isAsked: (amount: number) => boolean) =>
  tool({
    name: 'send',
    description: 'Sends money.',
    input: z.object({ amount: z.number() }),
    needs: ({ amount }) => isAsked(amount),
    execute: () => {
      performed++
      return 'Sent'
    },
  })
const asks = (amount: number) => amount % 10 === 0
const clerk = { name: 'clerk', tools: [sendIf(asks)] }

/** The agents, with the amounts that each would ask about anew, ask about no longer, and end otherwise. */
const agents: readonly (readonly [string, AgentUnderTest, Readonly<Record<string, (amount: number) => boolean>>])[] = [
  ['the same', clerk, {}],
  ['a lower limit', { ...clerk, tools: [sendIf((n) => n % 5 === 0)] }, { asks: (n) => n % 5 === 0 && !asks(n) }],
  ['no question', { ...clerk, tools: [sendIf(() => false)] }, { asksNoLonger: asks }],
  [
    'another question',
    { ...clerk, tools: [sendIf((n) => n % 10 === 3)] },
    { asks: (n) => n % 10 === 3, asksNoLonger: asks },
  ],
  // A denial comes before the question that the stored run had.
  [
    'a rule that refuses',
    { ...clerk, permissions: { rules: { deny: ['send(amount = "7")', 'send(amount = "20")'] } } },
    { ends: (n) => n === 7, asksNoLonger: (n) => n === 20 },
  ],
]

test('TST-07 reports exactly the runs that five agents with known differences treat differently, and performs nothing', async () => {
  const store = memoryStore()
  const amounts = Array.from({ length: runs }, (_, index) => index + 1)
  for (const amount of amounts) {
    const model = scripted([{ toolCalls: [{ id: 'c1', name: 'send', arguments: { amount } }] }, 'Done.'])
    const run = createAgent({ ...clerk, store, model }).start('Pay.', { runId: `pays-${amount}` })
    if ((await run.settled()).status === 'done') continue
    await run.approve()
    await run.settled()
  }
  expect(performed).toBe(runs)
  const idsOf = (isIn: (amount: number) => boolean = () => false) =>
    amounts.filter((amount) => isIn(amount)).map((amount) => `pays-${amount}`)
  for (const [name, agent, known] of agents) {
    const found = await diffRuns(agent, store, { limit: runs })
    const sets = [found.asks, found.asksNoLonger, found.ends].map((ids) => ids.toSorted())
    const expected = [known['asks'], known['asksNoLonger'], known['ends']].map((isIn) => idsOf(isIn).toSorted())
    expect({ name, runs: found.runs, left: found.left, sets }).toEqual({ name, runs, left: [], sets: expected })
  }
  expect(performed).toBe(runs)
}, 300_000)
