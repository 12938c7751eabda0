import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { judgeAgents } from '../../../proof/policies/judge-agents.ts'
import { plantedHoles, verdictWith } from '../../../proof/policies/planted-holes.ts'
import { policies } from '../../../src/core/plugins/index.ts'
import { tool } from '../../../src/index.ts'
import { playPolicy, policyFile, prove } from '../../../src/testing/index.ts'
import type { ProofGraph } from '../../../src/testing/policies/explore-agent.ts'
import { waitsIn } from '../../../src/testing/policies/waits-in.ts'
import { payment } from '../../core/services/banking.ts'

const small = { calls: 2, decisions: 1, crashes: 1 }
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number() }),
  needs: 'approval',
  execute: () => 'Paid.',
})
const clerk = { name: 'clerk', tools: [pay] }

test('TST-06 proves 25 policies of four agents, two with a sub-agent, and breaks 26 by scripts that run red', async () => {
  const judged = await judgeAgents(small)
  expect(judged.filter(({ problem }) => problem !== undefined)).toEqual([])
  const count = (wanted: string) => judged.filter(({ verdict }) => verdict === wanted).length
  expect([count('proven'), count('broken')]).toEqual([25, 26])
})

describe('TST-06 planted holes', () => {
  test.for(plantedHoles)('TST-06 finds the fault $name', async (hole) => {
    expect(await verdictWith(hole, true)).not.toBe(hole.truth)
  })

  test('TST-06 finds policies that the agent names but does not enforce', async () => {
    const policy = 'never(ran(pay) and not approvedBy(anna))'
    const report = (guard: object) =>
      prove({ ...clerk, permissions: { policies: { texts: [policy], ...guard } } }, policy, { ...small, crashes: 0 })
    expect((await report(policies([policy]))).proofs).toMatchObject([{ verdict: 'proven' }])
    expect(
      (await report({ ...policies(['never(ran(pay) and ran(pay) and spent(9))']), texts: [policy] })).proofs,
    ).toMatchObject([{ verdict: 'broken' }])
  })
})

describe('TST-06 answers', () => {
  test('TST-06 the answer has its bound, its calls, and what held at no step', async () => {
    const { proofs, calls, endless, stranded } = await prove(
      clerk,
      'never(ran(pay(amount = 7)) and not approvedBy())',
      {
        calls: 1,
        decisions: 1,
        crashes: 0,
      },
    )
    expect(proofs[0]?.text).toContain('proven within 1 calls with at most 2 in one answer, 1 decisions and 0 crashes')
    expect(calls).toEqual(['pay({"amount":1})', 'pay({"amount":7})'])
    expect(endless).toEqual(['pay (approval)', 'pay (input)'])
    expect(stranded).toEqual([])
    const { proofs: unseen } = await prove(clerk, 'always(crashed(pay) implies never(ran(pay)))', {
      crashes: 0,
      calls: 1,
    })
    expect(unseen[0]).toMatchObject({ verdict: 'proven', unseen: ['crashed(pay)'] })
  })

  test('TST-06 the answer is undecided if the moves do not suffice, and reports the progress', async () => {
    const { proofs, moves } = await prove(clerk, 'until(not ran(pay), waited(pay))', { steps: 10 })
    expect(proofs).toMatchObject([{ verdict: 'undecided' }])
    expect(proofs[0]?.text).toMatch(
      /not decided within 10 moves: \d+ states and 10 moves are known to keep it, \d+ states/,
    )
    expect(moves).toBe(10)
  })

  test('TST-06 breaks a policy by the fewest moves, as a test file', async () => {
    const policy = 'always(crashed(pay) implies never(ran(pay)))'
    const { proofs } = await prove(clerk, policy, { ...small, decisions: 2 })
    const { script = [] } = proofs[0] ?? {}
    expect(script.map(({ kind }) => kind)).toEqual(['model', 'person', 'restart', 'person'])
    expect(script[1]).toMatchObject({ does: 'approve', crash: expect.any(Number) })
    await expect(playPolicy(clerk, policy, script)).rejects.toThrow(/The run breaks .*crashed pay.*ran pay/s)
    await playPolicy(clerk, policy, script.slice(0, -1))
    expect(policyFile(policy, script, { module: './clerk.ts', exported: 'options' })).toContain(
      `playPolicy(options, '${policy}', [`,
    )
  })

  test('TST-06 lists the waits that never end by themselves, and no service wait with a time-out', async () => {
    const bank = { name: 'bank', services: [payment], tools: [] }
    const { endless, stranded, proofs } = await prove(bank, 'never(refused())', { calls: 1, decisions: 1, crashes: 1 })
    expect({ endless, stranded, verdict: proofs[0]?.verdict }).toEqual({ endless: [], stranded: [], verdict: 'proven' })
  })
})

test('TST-06 reports a wait as stranded if answers return to it, and only a cancel or a crash ends it', () => {
  const waiting = [{ toolName: 'pay', suspension: { reason: 'approval' } }]
  const wait = { at: 'wait', waiting, isWalked: true, edges: [] as object[] }
  const graphTo = (next: object) => ({ nodes: [wait, next] }) as unknown as ProofGraph
  const done = { at: 'done', waiting: [], isWalked: true, edges: [] }
  const person = (does: string, to: object, more = {}) => ({ move: { kind: 'person', does, call: 0, ...more }, to })
  wait.edges = [person('approve', wait), person('cancel the run', done), person('deny', done, { crash: 1 })]
  expect(waitsIn(graphTo(done)).stranded).toEqual(['pay (approval)'])
  wait.edges.push(person('deny', done))
  expect(waitsIn(graphTo(done))).toEqual({ stranded: [], endless: ['pay (approval)'] })
})

describe('TST-06 bad input', () => {
  test.each([
    ['never(ran(pya))', 'names the tool "pya", which the agent does not have. Did you mean "pay"? Known: pay.'],
    ['never(ran(pay)', 'expected ")" at the end'],
    ['never(ran(pay) and called(pay))', 'every run keeps it, so it says nothing'],
    ['eventually(ran(pay) and called(pay))', 'no run can keep it'],
    ['never(ran(pay(amount ~ /^(?:[3-9]{7})$/)))', 'No arguments were found that fit the rule'],
  ])('TST-06 refuses %s', async (policy, message) => {
    await expect(prove(clerk, policy)).rejects.toThrow(message)
  })

  test('TST-06 refuses a bound that is not a number, and policies that contradict each other', async () => {
    await expect(prove(clerk, 'never(ran(pay))', { calls: -1 })).rejects.toThrow('a whole number of 0 or more')
    const texts = ['eventually(ran(pay))', 'never(ran(pay))']
    expect(() => policies(texts)).toThrow('no run can keep it together with eventually(ran(pay))')
  })
})
