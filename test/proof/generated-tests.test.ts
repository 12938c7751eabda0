import { describe, expect, test } from 'vitest'
import { heldToolset } from '../../proof/support/held-toolset.ts'
import { contract, type Plugin, tool, type Tool } from '../../src/index.ts'
import { type AgentSource, describePaths } from '../../src/testing/index.ts'
import { loadGraph } from '../../src/testing/charts/load-graph.ts'
import { coverTransitions } from '../../src/testing/charts/transition-coverage.ts'
import { configurationsOf, planScript } from '../../src/testing/paths/agent-configurations.ts'
import { agentFrom, scriptsOf } from '../../src/testing/paths/agent-under-test.ts'

/** Generates tests and runs them here: which there are, and what those that fail say. */
async function generate(source: AgentSource) {
  const groups: string[] = []
  const tests: { readonly name: string; readonly body: () => Promise<void> }[] = []
  const within: string[] = []
  await describePaths(source, {
    describe: (name, body) => {
      groups.push(name)
      within.push(name)
      body()
      within.pop()
    },
    test: (name, body) => void tests.push({ name: [...within.slice(1), name].join(' > '), body }),
  })
  return { groups, tests }
}

async function failuresOf(source: AgentSource, among = '', without = '?'): Promise<readonly string[]> {
  const failures: string[] = []
  for (const { name, body } of (await generate(source)).tests) {
    if (!name.startsWith(among) || name.includes(without)) continue
    try {
      await body()
    } catch (error) {
      failures.push(`${name}\n${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return failures
}

const base = { description: 'Acts.', input: { type: 'object' }, execute: () => 'Acted.' } as const
const send = tool({ ...base, name: 'send', needs: 'approval' })
const { needs: _, ...unasked } = send
const payment = contract({
  type: 'com.bank.payment',
  version: '1',
  accepts: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
  emits: {
    'bank.paid': { type: 'object', required: ['receipt'], properties: { receipt: { type: 'string' } } },
    'bank.refused': { type: 'object' },
  },
  cancel: 'com.bank.payment.cancel',
  expiresInMs: 60_000,
})

describe('TST-02 the tests generated for an agent', { timeout: 60_000 }, () => {
  test('are named by the turns, the outcomes and the answers, and pass', async () => {
    const { groups, tests } = await generate({ name: 'a', tools: [send] })
    expect(groups).toEqual([
      'paths of agent "a"',
      'charts: the model answers, is cut off, is busy and breaks',
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

  test('TOOL-06 take the tools of a toolset from its stand-ins, and open nothing', async () => {
    const pets = heldToolset('pets', [])
    const agent = { name: 'a', tools: [pets.toolset], standIns: { pets: [send] } }
    expect((await generate(agent)).groups).toContain('runs: send')
    expect(await failuresOf(agent, '', ', twice')).toEqual([])
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
  ])('pass for a tool that %s', async (_, more) => {
    expect(await failuresOf({ name: 'a', tools: [{ ...send, ...more }] }, '', ', twice')).toEqual([])
  })

  test('pass for one call at a time, limits, other tools and none', async () => {
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

  test('SVC-01 SVC-05 DEC-08 play a service: every answer, its error, its time that passes and its cancel', async () => {
    const agent = { name: 'a', services: [payment] }
    const { tests } = await generate(agent)
    expect(tests.flatMap(({ name }) => (name.startsWith('runs: com_bank_payment >') ? [name] : []))).toEqual(
      ['answers bank.paid', 'answers bank.refused', 'answers with an error', 'expires', 'is cancelled'].map(
        (outcome) => `runs: com_bank_payment > 1.com_bank_payment ${outcome}`,
      ),
    )
    expect(await failuresOf(agent)).toEqual([])
  })

  test('PERM-04 PERM-05 play what a yes and a no grant beyond their call', async () => {
    const agent = { name: 'a', tools: [unasked], permissions: { rules: { ask: ['send'] } } }
    const { tests } = await generate(agent)
    expect(tests.flatMap(({ name }) => (name.startsWith('runs: send, twice') ? [name] : []))).toEqual(
      ['yes, once', 'yes, for the run', 'yes, for always', 'no, for the run'].map(
        (answer) => `runs: send, twice > asked: ${answer}`,
      ),
    )
    expect(await failuresOf(agent)).toEqual([])
  })

  test('SVC-01 PERM-05 take every way of a call that leaves and of one that a rule asks about', async () => {
    const taken = new Set<string>()
    const agent = agentFrom({
      name: 'a',
      tools: [unasked],
      services: [payment],
      permissions: { rules: { ask: ['send'] } },
    })
    const scripts = await Promise.all(scriptsOf(agent).map((script) => planScript(agent, script)))
    const bounds = { limit: 1000, isPartial: true, interpreter: 'tables' } as const
    for (const { chart, words, path } of coverTransitions(configurationsOf(agent, scripts), await loadGraph(), bounds))
      if (path !== undefined && chart === 'toolCall') taken.add(words)
    const ways = [
      'new.judging, always [isCallGatePending] → gating',
      'new.judging, always → #toolCall.suspended',
      'new.judging, always [isRefused] → #toolCall.failed',
      'suspended, call.cancel → cancelled',
      'suspended.resting, call.decided → decided',
      'suspended.resting, done(expiry) → #toolCall.cancelled',
      'suspended.decided, call.resume [answersSuspension(resume)] → #toolCall.resuming',
      'suspended.decided, call.resume [answersSuspension(cancel)] → #toolCall.cancelled',
      'resuming, call.cancel → cancelled',
      'resuming.judging, always [isAllowed] → #toolCall.running',
      'resuming.judging, always [isRefused] → #toolCall.failed',
      'resuming.judging, always [isSuppliedAs(succeeded)] → #toolCall.succeeded',
      'resuming.judging, always [isSupplied] → #toolCall.failed',
      'resuming.judging, always → #toolCall.suspended',
    ]
    expect(ways.filter((way) => !taken.has(way))).toEqual([])
  })

  test('PERM-03 play a request for permission, granted and denied', async () => {
    const manager = { get: () => ({ send: 'requestable' as const }) }
    const agent = { name: 'a', tools: [unasked], permissions: { policy: () => ['send'], manager } }
    expect((await generate(agent)).groups).toContain('charts: the model calls send')
    expect(await failuresOf(agent)).toEqual([])
  })

  test('pass for two calls at a time', async () => {
    const tools = [send, tool({ ...base, name: 'write' })]
    expect(await failuresOf({ name: 'a', tools, turns: [['send', 'write']] })).toEqual([])
  })

  test('run the tools themselves where that is wanted', async () => {
    const ran: string[] = []
    const write = tool({ ...base, name: 'write', execute: (_, { callId }) => void ran.push(callId) })
    expect(await failuresOf({ name: 'a', tools: [write], execute: 'real' }, 'runs: ')).toEqual([])
    expect(new Set(ran)).toEqual(new Set(['1.write']))
  })
})

describe('TST-02 a test generated for an agent fails', { timeout: 60_000 }, () => {
  test('where a plugin loses the approval of a call', async () => {
    const forgetful: Plugin = {
      name: 'forgetful',
      beforeToolExecute: () => ({ suspend: { reason: 'approval' }, evenIfApproved: true }),
    }
    const failures = await failuresOf({ name: 'a', tools: [send], plugins: [forgetful] }, 'runs: ')
    expect(failures).toContainEqual(expect.stringMatching(/1\.send succeeds; asked: yes\n[^]*still waits after/))
  })

  test('where a tool that must ask does not', async () => {
    const { needs: _, ...unasked } = send
    const failures = await failuresOf({ name: 'a', tools: [unasked], mustAsk: ['send'] }, 'runs: ')
    expect(failures).toContainEqual(
      expect.stringMatching(/1\.send succeeds\n[^]*"1\.send" ran and nobody had said yes/),
    )
  })

  /** An agent whose code is another in each process that makes it. */
  const changing = (agent: (count: number) => Parameters<typeof describePaths>[0] & object) => {
    let count = 0
    return (() => agent(++count)) as AgentSource
  }

  test('SVC-04 where a contract has another answer in the next process', async () => {
    const source = changing((count) => {
      const emits = { [count % 2 === 0 ? 'bank.done' : 'bank.paid']: { type: 'object' } }
      return { name: 'a', services: [{ ...payment, emits }] }
    })
    expect(await failuresOf(source, 'runs: ')).toContainEqual(
      expect.stringMatching(/answers bank\.paid\n[^]*lost: The answer to call "1\.com_bank_payment" came to "refused"/),
    )
  })

  test('PERM-05 where a rule that asks is gone in the next process', async () => {
    const source = changing((count) => ({
      name: 'a',
      tools: [unasked],
      permissions: { rules: count === 1 ? { ask: ['send'] } : {} },
    }))
    expect(await failuresOf(source, 'runs: send >')).toContainEqual(
      expect.stringMatching(/1\.send succeeds; asked: yes\n[^]*"1\.send" ran and nobody had said yes/),
    )
  })

  test('PERM-04 where what was granted is asked about again, because the tool says something else', async () => {
    const source = changing((count) => ({ name: 'a', tools: [{ ...send, description: `Sends, ${count}.` }] }))
    expect(await failuresOf(source, 'runs: send, twice > asked: yes, for the run')).toContainEqual(
      expect.stringMatching(
        /lost: Call "2\.send" is asked about, and the answer to call "1\.send" was for calls like it\./,
      ),
    )
  })

  test('where a rule of `needs` answers otherwise when it is asked again', async () => {
    const wavering = () => {
      let count = 0
      return { name: 'a', tools: [tool({ ...base, name: 'send', needs: () => ++count % 2 === 0 })] }
    }
    expect(await failuresOf(wavering, 'runs: ')).toContainEqual(
      expect.stringMatching(/1\.send succeeds\n[^]*nobody had said yes/),
    )
  })

  test('where a plugin answers by what it has in memory', async () => {
    const counting = () => {
      let calls = 0
      const plugin: Plugin = {
        name: 'counting',
        beforeInference: ({ append }) => append(say(`${++calls} steps here.`)),
      }
      return { name: 'a', tools: [tool({ ...base, name: 'read', effects: 'none' })], plugins: [plugin] }
    }
    const failures = await failuresOf(counting, 'runs: ')
    expect(failures).toContainEqual(expect.stringMatching(/1\.read succeeds\n[^]*stopped after write \d+: transcript/))
  })

  test.each([
    'runStart',
    'stepStart',
    'beforeInference',
    'transformRequest',
    'afterInference',
    'beforeToolExecute',
    'afterToolExecute',
    'stepEnd',
    'runEnd',
  ] as const)('where a plugin throws at every %s', async (phase) => {
    const fails = () => {
      throw new Error('No.')
    }
    const broken: Plugin = { name: 'broken', [phase]: fails }
    const failures = await failuresOf({ name: 'a', tools: [send], plugins: [broken] }, 'runs: ')
    const said = `not stopped: failed: .*Plugin "broken" failed in ${phase}: No.`
    expect(failures).toContainEqual(expect.stringMatching(new RegExp(`1\\.send succeeds[^]*${said}`)))
  })

  test('where a hook throws at every call', async () => {
    const hooks = {
      beforeToolExecution: () => {
        throw new Error('No.')
      },
    }
    const failures = await failuresOf({ name: 'a', tools: [send], hooks }, 'runs: ')
    expect(failures).toContainEqual(
      expect.stringMatching(/1\.send succeeds[^]*failed: .*Hook "beforeToolExecution" failed: No\./),
    )
  })

  test('where a turn names no tool, or a sample does not fit', async () => {
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

describe('TST-02 describePaths refuses', () => {
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
  ])('%s', async (_, source, message) => {
    await expect(generate(source)).rejects.toMatchObject({ name: 'UsageError', code: 'bad_option', message })
  })

  test.each([undefined, {}, { describe }])('to go without the functions of a test runner: %j', async (runner) => {
    await expect(describePaths({ name: 'a', tools }, runner as never)).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringMatching(/^Option runner(\.\w+)? of describePaths is missing\. Expected /),
    })
  })

  test('a name in mustAsk and samples that no tool has, when it is compiled', () => {
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
