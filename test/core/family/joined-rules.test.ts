import { array, assert, asyncProperty, constantFrom, record, subarray } from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const rules = record({
  deny: subarray(['act', 'act(n = 1)', 'act(n = 2)', 'level']),
  ask: subarray(['act', 'act(n = 1)', 'act(n = 2)', 'level']),
  allow: subarray(['act', 'act(n = 1)', 'act(n = 2)', 'level']),
})
type Rules = { readonly deny: readonly string[]; readonly ask: readonly string[]; readonly allow: readonly string[] }

const isAbout = (list: readonly string[], n: number) => list.includes('act') || list.includes(`act(n = ${n})`)

test('PERM-06 runs no call of a member that any level denies, and none that any level asks about before an answer', async () => {
  const property = asyncProperty(
    array(rules, { minLength: 3, maxLength: 3 }),
    constantFrom(1, 2),
    async (levels, n) => {
      let ran = 0
      const act = tool({
        name: 'act',
        description: 'Acts.',
        input: z.object({ n: z.number() }),
        execute: () => `${++ran}`,
      })
      const call = (name: string, given: object) =>
        scripted([{ toolCalls: [{ id: 'c', name, arguments: given as never }] }, 'Done.'])
      const withRules = ([first]: readonly Rules[]) =>
        first === undefined
          ? {}
          : {
              permissions: {
                rules: {
                  ...first,
                  ask: first.ask.filter((rule) => rule !== 'level'),
                  deny: first.deny.filter((rule) => rule !== 'level'),
                },
              },
            }
      const low = createAgent({ name: 'level', model: call('act', { n }), tools: [act], ...withRules(levels.slice(2)) })
      const middle = createAgent({
        name: 'level',
        model: call('level', { prompt: 'Go.' }),
        tools: [low.asTool({ description: 'Acts.' })],
        ...withRules(levels.slice(1)),
      })
      const top = createAgent({
        name: 'top',
        model: call('level', { prompt: 'Go.' }),
        tools: [middle.asTool({ description: 'Acts.' })],
        ...withRules(levels),
      })
      const { status, suspended } = await top.run('Go.')
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
