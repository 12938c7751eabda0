import { describe, expect, test } from 'vitest'
import { sampled } from '../../proof/support/sampled.ts'
import { heldToolset } from '../../proof/support/held-toolset.ts'
import { type Plugin, tool, type Tool } from '../../src/index.ts'
import { type AgentSource, describePaths } from '../../src/testing/index.ts'
import { failuresIn, failuresOf, generate } from './generate-tests.ts'

const base = { description: 'Acts.', input: { type: 'object' }, execute: () => 'Acted.' } as const
const send = tool({ ...base, name: 'send', needs: 'approval' })

describe('TST-02 generated tests', { timeout: 60_000 }, () => {
  test('TST-02 generated tests are named by the turns, the outcomes and the answers, and pass', async () => {
    const { groups, tests } = await generate({ name: 'a', tools: [send] })
    expect(groups).toEqual([
      'paths of agent "a"',
      'charts: the model answers, is cut off, is busy, refuses a file and breaks',
      'charts: the model calls send',
      'charts: the model calls send, by a grant',
      'runs: send',
      'runs: send, twice',
    ])
    expect(tests.flatMap(({ name }) => (name.startsWith('runs: send >') ? [name] : []))).toEqual(
      ['succeeds', 'fails', 'suspends'].flatMap((outcome) =>
        ['yes', 'no', 'cancel'].map((answer) => `runs: send > 1.send ${outcome}; asked: ${answer}`),
      ),
    )
    expect(tests.length).toBeGreaterThan(20)
    expect(await failuresOf({ name: 'a', tools: [send] }, '', ', twice')).toEqual([])
  })

  test("TOOL-06 generated tests use a toolset's stand-ins, and open no toolset", async () => {
    const pets = heldToolset('pets', [])
    const agent = { name: 'a', tools: [pets.toolset], standIns: { pets: [send] } }
    const { groups, tests } = await generate(agent)
    expect(groups).toContain('runs: send')
    expect(await failuresIn(tests, 'runs: send > 1.send succeeds')).toEqual([])
    expect(pets.asked).toEqual([])
    await expect(generate({ name: 'a', tools: [pets.toolset] })).rejects.toThrow(
      'Toolset "pets" is not opened for generated tests. Give its tools as standIns: { "pets": [...] }.',
    )
  })

  test.each<readonly [string, Partial<Tool>]>([
    ['takes the result of a person', { resume: 'use-as-result' }],
    ['is run with the answer of a person', { resume: 'pass-to-tool' }],
    ['may be run again', { effects: 'none' }],
    ['runs alone', { concurrency: 'exclusive', needs: () => true }],
    ['says what it returns', { output: { type: 'object', required: ['id'], properties: { id: { type: 'number' } } } }],
  ])('TST-02 generated tests pass for a tool that %s', async (_, more) => {
    expect(await failuresOf({ name: 'a', tools: [{ ...send, ...more }] }, '', ', twice')).toEqual([])
  })

  test('TST-02 generated tests pass for one call at a time, limits, other tools and none', async () => {
    const read = tool({ ...base, name: 'read', priority: -1 })
    const turns = [
      ['read', 'send'],
      ['read', 'read', 'read'],
    ]
    expect(
      await failuresOf({ name: 'a', tools: [send, read], turns, executor: 'sequential', limits: { maxTurns: 2 } }),
    ).toEqual([])
    expect(await failuresOf({ name: 'a' })).toEqual([])
  })

  test('TST-02 generated tests pass for two calls at a time', async () => {
    const tools = [send, tool({ ...base, name: 'write' })]
    const { tests } = await generate({ name: 'a', tools, turns: [['send', 'write']] })
    const runs = tests.filter(({ name }) => name.startsWith('runs: '))
    expect(runs.length).toBeGreaterThan(20)
    // The outcomes of one call are played above, so of their pairs each third is enough.
    expect(await failuresIn(sampled(runs, 3))).toEqual([])
    expect(await failuresIn(tests.filter((one) => !runs.includes(one)))).toEqual([])
  })

  test('TST-02 generated tests run the real tools on request', async () => {
    const ran: string[] = []
    const write = tool({ ...base, name: 'write', execute: (_, { callId }) => void ran.push(callId) })
    expect(await failuresOf({ name: 'a', tools: [write], execute: 'real' }, 'runs: ')).toEqual([])
    expect(new Set(ran)).toEqual(new Set(['1.write']))
  })
})

describe('TST-02 failures', { timeout: 60_000 }, () => {
  test("TST-02 a generated test fails if a plugin loses a call's approval", async () => {
    const forgetful: Plugin = {
      name: 'forgetful',
      gateCall: () => ({ suspend: { reason: 'approval' }, evenIfApproved: true }),
    }
    const failures = await failuresOf(
      { name: 'a', tools: [send], plugins: [forgetful] },
      'runs: send > 1.send succeeds',
    )
    expect(failures).toContainEqual(expect.stringMatching(/1\.send succeeds; asked: yes\n[^]*still waits after/))
  })

  test('TST-02 a generated test fails if a tool that must ask does not', async () => {
    const { needs: _, ...unasked } = send
    const failures = await failuresOf(
      { name: 'a', tools: [unasked], mustAsk: ['send'] },
      'runs: send > 1.send succeeds',
    )
    expect(failures).toContainEqual(
      expect.stringMatching(/1\.send succeeds\n[^]*"1\.send" ran and nobody had said yes/),
    )
  })

  test('TST-02 a generated test fails if a rule of `needs` answers differently the second time', async () => {
    const wavering = () => {
      let count = 0
      return { name: 'a', tools: [tool({ ...base, name: 'send', needs: () => ++count % 2 === 0 })] }
    }
    expect(await failuresOf(wavering, 'runs: send > 1.send succeeds')).toContainEqual(
      expect.stringMatching(/1\.send succeeds\n[^]*nobody had said yes/),
    )
  })

  test("TST-02 a generated test fails if a plugin's answer depends on its memory", async () => {
    const counting = () => {
      let calls = 0
      const plugin: Plugin = {
        name: 'counting',
        beforeModel: ({ append }) => append(say(`${++calls} steps here.`)),
      }
      return { name: 'a', tools: [tool({ ...base, name: 'read', effects: 'none' })], plugins: [plugin] }
    }
    const failures = await failuresOf(counting, 'runs: read > 1.read succeeds')
    expect(failures).toContainEqual(expect.stringMatching(/1\.read succeeds\n[^]*stopped after write \d+: transcript/))
  })

  const phases = [
    'runStart',
    'stepStart',
    'beforeModel',
    'transformRequest',
    'afterModel',
    'gateCall',
    'reviewCall',
    'stepEnd',
    'runEnd',
  ] as const
  let failing: (typeof phases)[number] | undefined
  const phaseOf = (phase: (typeof phases)[number]) => (given: unknown) => {
    if (failing === phase) throw new Error('No.')
    return phase === 'transformRequest' ? given : undefined
  }
  const broken = { name: 'broken', ...Object.fromEntries(phases.map((phase) => [phase, phaseOf(phase)])) } as Plugin
  // Each test makes its agent anew: the tests of one agent serve for every phase.
  let generated: ReturnType<typeof generate> | undefined

  test.each(phases)('TST-02 a generated test fails if a plugin throws at every %s', async (phase) => {
    const { tests } = await (generated ??= generate({ name: 'a', tools: [send], plugins: [broken] }))
    failing = phase
    const failures = await failuresIn(tests, 'runs: send > 1.send succeeds')
    failing = undefined
    const said = `not stopped: failed: .*Plugin "broken" failed in ${phase}: No.`
    expect(failures).toContainEqual(expect.stringMatching(new RegExp(`1\\.send succeeds[^]*${said}`)))
  })

  test('TST-02 a generated test fails if a hook throws at every call', async () => {
    const hooks = {
      beforeTool: () => {
        throw new Error('No.')
      },
    }
    const failures = await failuresOf(
      { name: 'a', tools: [send], plugins: [{ name: 'hooks', ...hooks }] },
      'runs: send > 1.send succeeds',
    )
    expect(failures).toContainEqual(
      expect.stringMatching(/1\.send succeeds[^]*failed: .*Plugin "hooks" failed in beforeTool: No\./),
    )
  })

  test('TST-02 a generated test fails if a turn names no tool, or a sample does not fit', async () => {
    const wrong = tool({
      ...base,
      name: 'read',
      input: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    })
    const failures = await failuresOf({
      name: 'a',
      tools: [wrong],
      turns: [['raed'], ['read']],
      samples: { read: [{}] },
    })
    expect(failures).toEqual([
      expect.stringMatching(/the calls of raed fit the tools[^]*does not exist/),
      expect.stringMatching(/the calls of read fit the tools[^]*Invalid arguments/),
    ])
  })
})

describe('TST-02 refusals', () => {
  const read = tool({ ...base, name: 'read' })
  const tools = [send, read]

  test.each<readonly [string, AgentSource, string]>([
    [
      'a name in mustAsk that no tool has',
      { name: 'a', tools, mustAsk: ['sned'] },
      'Option mustAsk[0] of the agent under test is "sned", which is refused. No tool has this name. Did you mean "send"? Known: send, read.',
    ],
    [
      'samples of a tool that is not there',
      { name: 'a', tools, samples: { reed: [{}] } },
      'Option samples of the agent under test is "reed", which is refused. No tool has this name. Did you mean "read"? Known: send, read.',
    ],
    [
      'stand-ins of a toolset that is not there',
      { name: 'a', tools, standIns: { pets: [] } },
      'Option standIns of the agent under test is "pets", which is refused. No toolset has this name. Known: none.',
    ],
  ])('TST-02 describePaths refuses %s', async (_, source, message) => {
    await expect(generate(source)).rejects.toMatchObject({ name: 'UsageError', code: 'bad_option', message })
  })

  test.each([undefined, {}, { describe }])(
    "TST-02 describePaths refuses to run without a test runner's functions: %j",
    async (runner) => {
      await expect(describePaths({ name: 'a', tools }, runner as never)).rejects.toMatchObject({
        code: 'bad_option',
        message: expect.stringMatching(/^Option runner(\.\w+)? of describePaths is missing\. Expected /),
      })
    },
  )

  test('TST-02 the compiler refuses an unknown tool name in mustAsk and samples', () => {
    const given: Parameters<typeof describePaths<readonly [typeof send]>>[0] = {
      name: 'a',
      tools: [send],
      mustAsk: ['send'],
      samples: { send: [{}] },
    }
    // @ts-expect-error No tool has this name.
    const wrong: typeof given = { name: 'a', tools: [send], mustAsk: ['sned'] }
    // @ts-expect-error No tool has this name.
    const misplaced: typeof given = { name: 'a', tools: [send], samples: { sned: [{}] } }
    expect([given, wrong, misplaced]).toHaveLength(3)
  })
})

function say(text: string) {
  return { role: 'user' as const, content: [{ type: 'text' as const, text }], timestamp: 0 }
}
