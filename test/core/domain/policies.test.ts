import { describe, expect, test } from 'vitest'
import { isKeptAtEnd } from '../../../src/core/domain/policies/formula.ts'
import { parsePolicy } from '../../../src/core/domain/policies/parse-policy.ts'
import { type PolicyStep, stand, standingAtStart } from '../../../src/core/domain/policies/policy-step.ts'
import type { Moment } from '../../../src/core/domain/policies/policy.ts'

/** A step of a call in short: `ran pay 5 anna` is a call of pay with the amount 5 that anna has approved. */
function stepOf(text: string): PolicyStep {
  const [kind = '', toolName = '', amount = '0', ...approvedBy] = text.split(' ')
  if (kind === 'answered') return { kind, spent: Number(toolName) }
  return { kind: kind as Moment, spent: 0, call: { toolName, arguments: { amount: Number(amount) }, approvedBy } }
}

/** Judges a run of steps: `broken at n`, or at its end `kept` or `left out`. */
async function judge(text: string, ...steps: readonly string[]): Promise<string> {
  const policy = parsePolicy(text)
  let standing = standingAtStart([policy])
  for (const [index, step] of steps.entries()) {
    standing = await stand([policy], standing, stepOf(step))
    if (standing[policy.text] === false) return `broken at ${index + 1}`
  }
  return isKeptAtEnd(standing[policy.text] ?? false) ? 'kept' : 'left out'
}

const order = 'until(not ran(deploy), ran(test))'
const approved = 'never(ran(pay(amount != 5)) and not approvedBy(anna))'
const leak = 'always(ran(read) implies never(ran(send)))'
const answered = 'respond(called(pay), ran(pay) or denied(pay) or refused(pay))'

describe('TST-06 judging a run by a policy', () => {
  test.each([
    ['never(ran(pay))', ['called pay', 'waited pay'], 'kept'],
    ['never(ran(pay))', ['called pay', 'ran pay'], 'broken at 2'],
    ['never(ran())', ['ran other'], 'broken at 1'],
    ['never(ran(mcp__*))', ['ran mcp__x'], 'broken at 1'],
    [approved, ['called pay 9', 'ran pay 9 anna', 'ran pay 5'], 'kept'],
    [approved, ['ran pay 9 anna', 'ran pay 9 bob'], 'broken at 2'],
    ['never(ran(pay) and not approvedBy())', ['ran pay 1 bob'], 'kept'],
    ['never(ran(pay) and not approvedBy("an*"))', ['ran pay 1 ann'], 'kept'],
    [order, ['called deploy', 'ran test', 'ran deploy'], 'kept'],
    [order, ['called deploy', 'ran deploy'], 'broken at 2'],
    [order, [], 'kept'],
    [leak, ['ran send', 'ran read'], 'kept'],
    [leak, ['ran read', 'called send', 'ran send'], 'broken at 3'],
    ['eventually(ran(report))', ['ran report'], 'kept'],
    ['eventually(ran(report))', ['called report'], 'left out'],
    [answered, ['called pay', 'denied pay'], 'kept'],
    [answered, ['called pay', 'ran pay', 'called pay'], 'left out'],
    ['never(spent(5) and ran(pay))', ['answered 6', 'ran look'], 'kept'],
    ['never(spent(5))', ['answered 6'], 'broken at 1'],
    ['always(crashed(pay) implies until(not ran(pay), approvedBy(anna)))', ['crashed pay', 'ran pay'], 'broken at 2'],
    ['not eventually(ran(pay)) or eventually(ran(log))', ['ran pay'], 'left out'],
    ['not eventually(ran(pay)) or eventually(ran(log))', ['ran pay', 'ran log'], 'kept'],
  ])('%s after %j is %s', async (text, steps, expected) => {
    expect(await judge(text, ...steps)).toBe(expected)
  })

  test('an argument that cannot be decided counts against the policy, with or without a negation', async () => {
    const call = {
      toolName: 'sh',
      arguments: { command: 'x > y' },
      approvedBy: [],
      fields: { command: 'command' },
    } as const
    for (const text of ['never(ran(sh(command ~ "rm*")))', 'always(ran() implies ran(sh(command ~ "rm*")))']) {
      const policy = parsePolicy(text)
      const standing = await stand([policy], standingAtStart([policy]), { kind: 'ran', spent: 0, call })
      expect(standing).toEqual({ [text]: false })
    }
  })
})

describe('TST-06 what no policy may be', () => {
  const refused = [
    ['never(run(pay))', '"run" is not a word of policies. Did you mean "ran"?'],
    ['never(ran(pay)', 'expected ")" at the end'],
    ['never(ran(pay) ran(x))', 'expected ")" at "ran(x))"'],
    ['never(ran(pay)) x', 'expected "and", "or" or the end at "x"'],
    ['ran(pay)', 'an atom is outside always, never'],
    ['until(ran(pay))', 'expected "," and a second part'],
    ['never(ran(pay(amount ? 5)))', 'expected =, !=, ~ or !~'],
    ['never(spent(much))', 'needs an amount in US dollars'],
    ['never ran(pay)', '"never" has no brackets'],
    ['', 'expected such as never(ran(tool)) at the end'],
    ['never(ran(a) and called(a))', 'every run keeps it'],
    ['always(ran(a) or not ran(a))', 'every run keeps it'],
    ['eventually(ran(a) and called(a))', 'no run can keep it'],
    ['always(eventually(ran(a))) and never(ran(a)) and eventually(ran(a))', 'no run can keep it'],
    [`never(${[1, 2, 3, 4, 5, 6, 7].map((one) => `ran(t${one})`).join(' or ')})`, 'more than 6 different atoms'],
    [`never(ran(${'a'.repeat(1_000)}))`, 'more than 1000 characters'],
    ['not '.repeat(240) + 'x', 'has no brackets'],
  ] as const

  test.each(refused.map(([text, message]) => [message, text]))('%s', (message, text) => {
    expect(() => parsePolicy(text)).toThrow(message)
  })
})
