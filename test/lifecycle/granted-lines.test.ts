import { describe, expect, test } from 'vitest'
import { parseRule, type RuleLists } from '../../src/core/domain/permission-rule.ts'
import { matchRules } from '../../src/core/domain/match-rules.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { acting } from './acting-agent.ts'

const lineOf = { ruleFields: { command: 'command' as const } }

/** An agent whose model runs lines one after another. */
function running(lines: readonly string[], rules: RuleLists, needs: 'approval' | undefined = 'approval') {
  const extras = needs === undefined ? lineOf : { ...lineOf, needs }
  return acting(
    lines.map((command) => ({ command })),
    { permissions: { rules } },
    extras as never,
  )
}

const started = { userId: 'ann' }

describe('PERM-04', () => {
  test.each([
    ['echo hi > note', 'bash -c "rm -rf x"'],
    ['flock x rm -rf a', 'flock x rm -rf b'],
    ['git log $(cat x)', 'taskset 1 rm -rf b'],
  ])('PERM-04 PERM-05 an answer to the unclear line %j applies to this call only', async (first, second) => {
    const rules = { deny: ['act(command ~ "rm *")'], allow: ['act'] }
    const { agent, done } = running([first, second, 'rm -rf x', 'ls'], rules)
    const run = agent.start('Hi', started)
    const { suspended } = await run.settled()
    expect(suspended[0]?.suspension).toMatchObject({ rule: 'act(command ~ "rm *")', scopes: ['once'] })
    for (const scope of ['run', 'always'] as const) {
      const message = `"scope" is "${scope}", and nobody can tell from its arguments what call "1.c0" runs, so an answer applies only to this call. Leave "scope" out, or decide with scope "once".`
      for (const receipt of [
        await run.approve(undefined, { scope }),
        await run.deny(undefined, { reason: 'No', scope }),
      ])
        expect(receipt).toEqual({ target: suspended[0]?.suspension?.id, answer: 'refused', message })
    }
    expect([await agent.grants(), await agent.audit(), done]).toEqual([[], [], []])
    expect(await run.approve(undefined, { scope: 'once' })).toMatchObject({ answer: 'applied' })
    const asked = await run.settled()
    expect(asked.suspended.map((one) => one.arguments)).toEqual([{ command: second }])
    await run.deny()
    expect(await run.settled()).toMatchObject({ status: 'done' })
    expect(done).toEqual([first, 'ls'].map((command) => `act ${JSON.stringify({ command })}`))
  })

  test('PERM-04 a line is covered if each of its commands is granted or allowed', async () => {
    const rules = { ask: ['act(command ~ "git *")', 'act(command ~ "npm *")'], allow: ['act(command ~ "ls*")'] }
    const lines = ['git status', 'git log; ls', 'git status; rm -rf x', 'git log && npm x', 'npm y; git push', 'make']
    const { agent, done } = running(lines, rules)
    const run = agent.start('Hi', started)
    const asked: (readonly [unknown, string | undefined])[] = []
    for (let result = await run.settled(); result.status === 'waiting'; result = await run.settled()) {
      for (const { arguments: given, suspension } of result.suspended) asked.push([given, suspension?.rule])
      await run.approve(undefined, { scope: 'run' })
    }
    expect(asked).toEqual([
      [{ command: 'git status' }, 'act(command ~ "git *")'],
      // The tool's needs ask about what no rule is about.
      [{ command: 'git status; rm -rf x' }, undefined],
      [{ command: 'git log && npm x' }, 'act(command ~ "npm *")'],
    ])
    expect(done).toHaveLength(lines.length)
    const used = (await agent.audit()).filter(({ action, callId }) => action === 'used' && callId.startsWith('5.'))
    expect(new Set(used.map(({ rule }) => rule))).toEqual(new Set(rules.ask))
  })

  test('PERM-04 a denial of one command of a line refuses the line', async () => {
    const rules = { ask: ['act(command ~ "git *")', 'act(command ~ "npm *")'] }
    const { agent, done } = running(['git status', 'git log && npm x'], rules, undefined)
    const run = agent.start('Hi', started)
    await run.settled()
    await run.deny(undefined, { reason: 'No.', scope: 'run' })
    expect(await run.settled()).toMatchObject({ status: 'done' })
    expect(done).toEqual([])
  })

  test('PERM-04 a grant of an earlier release for a denying rule allows nothing', async () => {
    const store = memoryStore()
    const rule = 'act(command ~ "rm *")'
    let definition = ''
    const planted = {
      ...store,
      useGrant: async () => true,
      grants: async () => {
        const about = {
          agent: 'guide',
          grantee: 'run:r',
          scope: 'run' as const,
          toolName: 'act',
          runId: 'r',
          callId: 'x',
        }
        return [{ id: 'g', ...about, says: 'allow' as const, rule, definition, at: 0 }]
      },
    }
    const lines = ['rm y', 'flock x rm y', 'sh -c "rm x"'].map((command) => ({ command }))
    const { agent, done } = acting(
      lines,
      { store: planted, permissions: { rules: { deny: [rule], allow: ['act'] } } },
      lineOf as never,
    )
    const run = agent.start('Hi', { runId: 'r' })
    const { suspended } = await run.settled()
    expect(suspended.map((one) => one.arguments)).toEqual([lines[1]])
    definition = suspended[0]?.suspension?.definition ?? ''
    await run.approve()
    expect((await run.settled()).suspended.map((one) => one.arguments)).toEqual([lines[2]])
    expect(done).toEqual(['act {"command":"flock x rm y"}'])
  })
})

test("PERM-04 names all rules that ask about a line's commands, and whether the tool's needs apply", async () => {
  const rules = ['act(command ~ "git *")', 'act(command ~ "npm *")', 'act(command ~ "git push*")']
  const said = (command: string) =>
    matchRules(
      rules.map((text) => parseRule('ask', text)),
      { toolName: 'act', arguments: { command }, fields: { command: 'command' } },
    )
  expect(await said('git push')).toMatchObject({ asking: [rules[0], rules[2]] })
  expect(await said('git push; npm x')).toEqual({
    effect: 'ask',
    rule: expect.objectContaining({ text: rules[0] }),
    asking: [rules[0], rules[2], rules[1]],
  })
  expect(await said('ls; npm x')).toMatchObject({ asking: [rules[1]], isPartial: true })
  expect(await said('npm x; sh -c x')).toMatchObject({ isUnclear: true })
})
