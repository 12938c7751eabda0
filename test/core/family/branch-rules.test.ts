import { array, assert, asyncProperty, constantFrom, record, subarray } from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Agent, createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const patterns = ['act', 'act(n = 1)', 'act(n = 2)']
const rules = record({ deny: subarray(patterns), ask: subarray(patterns), allow: subarray(patterns) })

type Rules = { readonly deny: readonly string[]; readonly ask: readonly string[]; readonly allow: readonly string[] }

const isAbout = (list: readonly string[], n: number) => list.includes('act') || list.includes(`act(n = ${n})`)

/** A group of one branch, below it a sub-agent that acts, with the rules of each level from the host down. */
function groupOf([host, branch, low]: readonly Rules[], n: number, ran: () => void) {
  const act = tool({
    name: 'act',
    description: 'Acts.',
    input: z.object({ n: z.number() }),
    execute: () => {
      ran()
      return 'Acted.'
    },
  })
  const agent = (name: string, level: Rules | undefined, call: string, given: object, tools: readonly (typeof act)[]) =>
    createAgent({
      name,
      model: scripted([{ toolCalls: [{ id: 'c', name: call, arguments: given as never }] }, 'Done.']),
      tools,
      ...(level === undefined ? {} : { permissions: { rules: level } }),
    })
  const lowest = agent('low', low, 'act', { n }, [act])
  const middle: Agent = agent('middle', branch, 'low', { prompt: 'Go.' }, [
    lowest.asTool({ description: 'Acts.' }) as never,
  ])
  const session = agent('host', host, 'act', { n }, []).session('s')
  return session.parallel([middle], { prompt: 'Go.', strategy: 'transparent' })
}

test('AGT-06 PERM-06 runs no call at or below a branch that any level denies, and none that any level asks about before an answer', async () => {
  const property = asyncProperty(
    array(rules, { minLength: 3, maxLength: 3 }),
    constantFrom(1, 2),
    async (levels, n) => {
      let ran = 0
      const group = await groupOf(levels, n, () => void ran++)
      const { status, suspended } = await group.settled()
      const isDenied = levels.some(({ deny }) => isAbout(deny, n))
      // At one level, an allow stands before an ask that is no more specific; a level above never allows.
      const isSurelyAsked = levels.some(({ ask, allow }) => isAbout(ask, n) && !isAbout(allow, n))
      const isFree = levels.every(({ ask }) => !isAbout(ask, n))
      const asked = suspended.map(({ toolName }) => toolName)
      const expected = isDenied
        ? { ran: 0, status: 'done', asked: [] }
        : isSurelyAsked
          ? { ran: 0, status: 'waiting', asked: ['act'] }
          : isFree
            ? { ran: 1, status: 'done', asked: [] }
            : { ran, status, asked }
      expect({ ran, status, asked }).toEqual(expected)
    },
  )
  await assert(property, { numRuns: 150 })
})
