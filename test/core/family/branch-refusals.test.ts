import { describe, expect, test } from 'vitest'
import { type Agent, createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const saying = (text: string) => scripted(Array.from({ length: 9 }, () => text))
const drafter = (name: string): Agent => createAgent({ name, configId: name, model: saying(`${name}.`) })
const many = (count: number) => Array.from({ length: count }, (_, place) => drafter(`d${place}`))
const host = () => createAgent({ name: 'host', model: saying('Hi.') }).session('s')

describe('AGT-06 session.parallel', () => {
  test.each([0, 65])('AGT-06 session.parallel refuses %i agents', async (count) => {
    const refused = host().parallel(many(count), { prompt: 'Draft.', strategy: 'pickFirst' })
    await expect(refused).rejects.toMatchObject({ code: 'bad_branches', message: expect.stringContaining('1 to 64') })
  })

  test('AGT-06 session.parallel refuses more than one agent with the strategy transparent', async () => {
    const refused = host().parallel(many(2), { prompt: 'Draft.', strategy: 'transparent' })
    await expect(refused).rejects.toMatchObject({ code: 'bad_branches', message: expect.stringContaining('pickFirst') })
  })

  test.each([[undefined], ['agents'], [[{}]], [[null]], [[{ name: 'a', asTool: () => ({}) }]]])(
    'AGT-06 session.parallel refuses a value that is not a list of agents (%j)',
    async (agents) => {
      const refused = host().parallel(agents as never, { prompt: 'Draft.', strategy: 'pickFirst' })
      await expect(refused).rejects.toMatchObject({ code: 'bad_branches' })
    },
  )

  test.each([
    [undefined],
    ['best'],
    [7],
    [null],
    [{}],
    [{ judge: 'gpt' }],
    [{ judge: saying('1'), instructions: 7 }],
    [{ judge: saying('1'), budget: -1 }],
    [{ judge: saying('1'), model: saying('1') }],
  ])('AGT-06 session.parallel refuses an invalid strategy (%j)', async (strategy) => {
    const refused = host().parallel(many(2), { prompt: 'Draft.', strategy: strategy as never })
    await expect(refused).rejects.toMatchObject({ code: 'bad_option', message: expect.stringContaining('strategy') })
  })

  test('AGT-06 session.parallel refuses an unknown option and an empty prompt', async () => {
    const given = { prompt: 'Draft.', strategy: 'pickFirst', configId: 'x' } as never
    await expect(host().parallel(many(1), given)).rejects.toMatchObject({ code: 'bad_option' })
    const empty = host().parallel(many(1), { prompt: ' ', strategy: 'pickFirst' })
    await expect(empty).rejects.toMatchObject({ code: 'bad_prompt' })
  })

  test('AGT-06 session.parallel refuses two different agents with one name', async () => {
    const refused = host().parallel([drafter('a'), drafter('a')], { prompt: 'Draft.', strategy: 'pickFirst' })
    await expect(refused).rejects.toMatchObject({ code: 'bad_option', message: expect.stringContaining('name') })
  })

  test('AGT-06 session.parallel stores nothing when it refuses', async () => {
    const session = host()
    await session.parallel(many(0), { prompt: 'Draft.', strategy: 'pickFirst' }).catch(() => undefined)
    expect(await session.state()).toBeUndefined()
  })
})

test('AGT-06 a group of 20 branches selects one of them', async () => {
  const group = await host().parallel(many(20), { prompt: 'Draft.', strategy: () => 20 })
  expect((await group.settled()).text).toBe('d19.')
})

test("AGT-06 a selection function that returns no candidate's number leaves the first one selected", async () => {
  for (const index of [0, 3, 1.5, Number.NaN, '1', undefined, {}]) {
    const problems: string[] = []
    const group = await host().parallel(many(2), { prompt: 'Draft.', strategy: () => index as never })
    for await (const event of group) if (event.type === 'evaluation.failed') problems.push(event.message)
    expect((await group.settled()).text).toBe('d0.')
    expect(problems).toEqual([expect.stringContaining('1, 2')])
  }
})
