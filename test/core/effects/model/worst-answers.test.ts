import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { testAgent } from '../../../../proof/support/test-agent.ts'
import { PartialOutput } from '../../../../src/core/effects/model/partial-output.ts'

const blanks = '\n'.repeat(200_000)

describe('an answer of a model that has to be JSON', () => {
  // With 2,000 line breaks the fence was looked for for 12 s, with each further one for longer by its square.
  test.each([
    ['a fence that does not end', `\`\`\`json${blanks}x`],
    ['a fence that does not begin', `${blanks}x${blanks}\`\`\``],
    ['a fence of blanks', `\`\`\`${' \n'.repeat(100_000)}x\n \`\`\` x`],
  ])('AGT-08 reads an answer that is %s in one pass', async (_, text) => {
    const { agent } = testAgent({ replies: [text], output: z.string() })
    const { output, status } = await agent.run('Hi')
    expect([status, output === text]).toEqual(['done', true])
  })

  test.each([
    ['```json\n{"a":1}\n```', { a: 1 }],
    [' ```\n\n[1]\n \n ``` \n', [1]],
    ['```json\n{"a":1}```', '```json\n{"a":1}```'],
    ['```js\n1\n```', '```js\n1\n```'],
    ['```\n```', '```\n```'],
    ['```\n"```\\n```"\n```', '```\n```'],
    ['```json {"a":1}\n```', '```json {"a":1}\n```'],
  ])('AGT-08 finds in the answer %j the value %j', async (text, value) => {
    const { agent } = testAgent({ replies: [text], output: z.unknown() })
    expect((await agent.run('Hi')).output).toEqual(value)
  })

  test('AGT-08 EVT-02 reads only the beginning of an answer while it streams', () => {
    const partial = new PartialOutput()
    expect([partial.add(`\`\`\`${blanks}x`), partial.add('{"a":1}')]).toEqual([undefined, undefined])
  })
})
