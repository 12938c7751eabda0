import { describe, expect, test } from 'vitest'
import { fakeClock, start } from '../../../proof/support/fake-clock.ts'
import { type Agent, type AgentEvent, createAgent, type Model, textOf } from '../../../src/index.ts'
import type { Strategy } from '../../../src/ports.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'

const saying = (reply: ScriptedReply) => scripted(Array.from({ length: 9 }, () => reply))
const drafter = (name: string, reply: ScriptedReply = `${name}.`): Agent =>
  createAgent({ name, configId: name, model: saying(reply) })
const broken: ScriptedReply = { error: { kind: 'api', message: 'Broken.', status: 400 } }

interface Judged {
  readonly index: number | undefined
  readonly runId: string | undefined
  readonly problems: readonly string[]
  readonly tokens: number
}

/** Runs three branches, the first of which fails if `isFirstLost`, and returns how the strategy selected. */
async function judged(strategy: Strategy, { isFirstLost = false } = {}): Promise<Judged> {
  const session = createAgent({ name: 'writer', model: saying('Hello.') }).session('s')
  await (await session.prompt('Hi.')).settled()
  const agents = [drafter('a', isFirstLost ? broken : 'A.'), drafter('b'), drafter('c')]
  const group = await session.parallel(agents, { prompt: 'Draft.', strategy })
  const events: AgentEvent[] = []
  for await (const event of group) events.push(event)
  const ended = events.find((event) => event.type === 'branches.ended')
  return {
    index: ended?.selectedIndex,
    runId: ended?.selectedRunId,
    tokens: ended?.evaluationUsage.totalTokens ?? 0,
    problems: events.flatMap((event) => (event.type === 'evaluation.failed' ? event.message : [])),
  }
}

describe('AGT-06 judges', () => {
  test.each([
    ['2', 2],
    ['Answer 3 is the best.', 3],
    ['Not 5, but 2, because 1 is wrong.', 2],
    ['0, or rather 3', 3],
    ['-1 or 2.5 or 3', 3],
  ])('AGT-06 L15 a judge that says %j selects branch %i', async (answer, index) => {
    const judge = saying({ text: answer, usage: { input: 7, output: 1 } })
    const result = await judged({ judge })
    expect(result).toEqual({ index, runId: `s.${'abc'[index - 1]}.1`, problems: [], tokens: 8 })
  })

  test.each(['unclear', '', '5', '0', '99999999999999999999', 'x'.repeat(2_000_000)])(
    'AGT-06 L15 a judge that names no branch number leaves the first branch selected, with an event (%.20s)',
    async (answer) => {
      const { index, problems } = await judged({ judge: saying(answer) })
      expect(index).toBe(1)
      expect(problems).toHaveLength(1)
      expect(problems[0]?.length).toBeLessThan(400)
    },
  )

  test('AGT-06 L15 a judge that fails leaves the first branch selected, with an event', async () => {
    const { index, problems } = await judged({ judge: saying(broken) })
    expect({ index, problems }).toEqual({ index: 1, problems: [expect.stringContaining('Broken.')] })
  })

  test('AGT-06 L15 a judge never selects a failed branch; the first of the others wins', async () => {
    expect(await judged({ judge: saying('1') }, { isFirstLost: true })).toMatchObject({ index: 2, runId: 's.b.1' })
    expect(await judged({ judge: saying('3') }, { isFirstLost: true })).toMatchObject({ index: 3, problems: [] })
  })

  test('AGT-06 L15 a judge reads the conversation, the request and the numbered answers', async () => {
    const seen: string[] = []
    const judge = saying(({ messages, system }) => {
      seen.push(system, ...messages.map(textOf))
      return '2'
    })
    await judged({ judge, instructions: 'Pick one.' }, { isFirstLost: true })
    expect(seen[0]).toBe('Pick one.')
    expect(seen[1]).toMatch(/User: Hi\.\s+Assistant: Hello\./)
    expect(seen[1]).toMatch(/# The request\s+Draft\.\s+# Answer 2\s+b\.\s+# Answer 3\s+c\./)
    expect(seen[1]).not.toContain('# Answer 1')
  })

  test('AGT-06 L15 a judge also selects among texts over its budget, with an event', async () => {
    const { index, problems } = await judged({ judge: saying('3'), budget: 1 })
    expect({ index, problems }).toEqual({ index: 3, problems: [expect.stringContaining('budget')] })
  })

  test('AGT-06 L15 asks no judge if there is one candidate', async () => {
    const group = await createAgent({ name: 'w', model: saying('Hi.') })
      .session('s')
      .parallel([drafter('a', broken), drafter('b')], { prompt: 'Draft.', strategy: { judge: saying(broken) } })
    expect(await group.settled()).toMatchObject({ text: 'b.', usage: { totalTokens: 0 } })
  })

  test('AGT-06 L15 a judge of a cancelled group selects nothing', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const stream: Model['stream'] = (request) => {
      resolve()
      return hang(request)
    }
    const group = await createAgent({ name: 'w', model: saying('Hi.') })
      .session('s')
      .parallel([drafter('a'), drafter('b')], { prompt: 'Draft.', strategy: { judge: { ...saying('2'), stream } } })
    await asked
    await group.cancel()
    expect(await group.settled()).toMatchObject({ outcome: { reason: 'cancelled' }, text: '' })
  })

  test("AGT-06 L15 counts a judge's usage in the group and in the session", async () => {
    const session = createAgent({ name: 'w', model: saying('Hi.') }).session('s')
    const judge: Model = { ...saying({ text: '2', usage: { input: 100 } }), prices }
    const group = await session.parallel([drafter('a'), drafter('b')], { prompt: 'Draft.', strategy: { judge } })
    expect(await group.settled()).toMatchObject({ usage: { totalTokens: 100 }, cost: 0.0001, turns: 0 })
    expect(await session.usage()).toMatchObject({ usage: { totalTokens: 100 }, cost: 0.0001 })
  })

  test.each([
    ['a judge', { judge: { ...saying('2'), stream: hang } }],
    ['a function', () => new Promise<number>(() => {})],
  ] as readonly (readonly [string, Strategy])[])(
    'AGT-06 L15 a judge with %s that hangs for 60 s leaves the first branch selected',
    async (_, strategy) => {
      const clock = fakeClock()
      const host = createAgent({ name: 'w', model: saying('Hi.'), clock })
      const group = await host.session('s').parallel([drafter('a'), drafter('b')], { prompt: 'Draft.', strategy })
      const problems: string[] = []
      void clock.sleeping(start + 60_000).then(() => clock.advance(60_000))
      for await (const event of group) if (event.type === 'evaluation.failed') problems.push(event.message)
      expect(await group.settled()).toMatchObject({ text: 'a.' })
      expect(problems).toEqual([expect.stringContaining('60 s')])
    },
  )
})

const prices = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }

async function* hang({ signal }: { readonly signal: AbortSignal }): ReturnType<Model['stream']> {
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  yield* []
}
