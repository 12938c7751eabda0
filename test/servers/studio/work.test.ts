import { expect, onTestFinished, test } from 'vitest'
import { createAgent, type Store, StoreError } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import type { AboutStore } from '../../../src/servers/studio/about-store.ts'
import { type AskingRun, type ListedQuestions, listQuestions } from '../../../src/servers/studio/list-questions.ts'
import { listRuns, type ListedPage, searchIn } from '../../../src/servers/studio/list-runs.ts'
import { clerk } from './clerk.ts'
import { askStudio, studioFor } from './open.ts'
import { team } from './team.ts'

/** A studio, and how a page reads and writes there. */
async function studioOf(...[options]: Parameters<typeof studioFor>) {
  const { url } = await studioFor(options)
  const read = async <Value>(path: string) => (await (await askStudio(`${url}api/${path}`)).json()) as Value
  const write = async (path: string, body: unknown) => {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await askStudio(`${url}api/${path}`, sent)
    return { status: response.status, body: (await response.json()) as Readonly<Record<string, string>> }
  }
  return { url, read, write }
}

test('OBS-03 a studio starts runs and conversations of its agents, with files', async () => {
  const store = memoryStore()
  const agent = createAgent({ name: 'talker', model: scripted(() => 'Hello.'), store })
  onTestFinished(() => agent.close())
  const { url, write } = await studioOf({ store, agents: [agent] })
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image', data: png, mediaType: 'image/png' },
  ]
  const begun = await write('runs?agent=talker', { prompt: { role: 'user', content } })
  expect(begun).toMatchObject({ status: 201, body: { runId: expect.any(String) } })
  const { messages } = await (await agent.load(begun.body['runId'] ?? '')).settled()
  expect(messages[0]).toMatchObject({ content: [content[0], { type: 'image', mimeType: 'image/png' }] })
  const first = await write('runs?agent=talker&session=', { prompt: 'Hi' })
  await (await agent.load(first.body['runId'] ?? '')).settled()
  const { session = '' } = await store.record(first.body['runId'] ?? '')
  const second = await write(`runs?agent=talker&session=${session}`, { prompt: 'And again' })
  await (await agent.load(second.body['runId'] ?? '')).settled()
  expect((await agent.session(session).messages()).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ])
  expect(await write('runs?agent=nobody', { prompt: 'Hi' })).toMatchObject({ status: 404, body: { code: 'no_agent' } })
  expect(await write('runs?agent=talker&session=', { prompt: 7 })).toMatchObject({
    status: 400,
    body: { code: 'bad_prompt' },
  })
  expect(await write('runs?agent=talker&session=', { promt: 'Hi' })).toMatchObject({
    status: 400,
    body: { code: 'bad_option' },
  })
  // A start in a conversation is refused as one outside of it.
  for (const path of ['runs?agent=talker', 'runs?agent=talker&session=']) {
    const send = async (type: string, body: string) => {
      const sent = { method: 'POST', headers: { 'content-type': type }, body }
      const response = await askStudio(`${url}api/${path}`, sent)
      return [response.status, ((await response.json()) as { readonly code: string }).code]
    }
    expect(await send('text/plain', '{"prompt":"Hi"}')).toEqual([415, 'not_json'])
    expect(await send('application/json', '{"prompt":')).toEqual([400, 'bad_json'])
  }
})

test("OBS-03 finds a store's runs by text, tool, subject, day and status, and family members only on request", async () => {
  const store = memoryStore()
  await clerk(store).run('Write to Anna.', { subject: 'harbour' })
  await team(store).run('Keep the house.')
  const found = async (query: string) => {
    const { runs } = await listRuns(store, searchIn(new URLSearchParams(query)))
    return runs.map((run) => ('damaged' in run ? run.id : run.agent))
  }
  expect(await found('')).toEqual(['boss', 'clerk'])
  expect(await found('members=1')).toEqual(
    expect.arrayContaining(['boss', 'boss/helper', 'boss/helper/clerk', 'clerk']),
  )
  expect(await found('text=ANNA')).toEqual(['clerk'])
  expect(await found('subject=harbour')).toEqual(['clerk'])
  expect(await found('tool=look')).toEqual(['clerk'])
  expect(await found('tool=look&text=house')).toEqual([])
  expect(await found('status=done')).toEqual([])
  expect(await found('until=2001-01-01')).toEqual([])
  expect(await found('status=odd&until=odd')).toEqual(['boss', 'clerk'])
})

test('OBS-03 a search reads the store page by page, each run once', async () => {
  const store = memoryStore()
  const agent = createAgent({ name: 'counter', model: scripted(() => 'One.'), store })
  for (let run = 0; run < 205; run++) agent.start(`Count ${run}`, { drive: false })
  await expect.poll(async () => (await store.list({ limit: 300 })).length).toBe(205)
  const pages: ListedPage[] = []
  for (let before: string | undefined = ''; before !== undefined; before = pages.at(-1)?.next)
    pages.push(await listRuns(store, searchIn(new URLSearchParams({ text: 'count', before }))))
  expect(pages.map(({ runs }) => runs.length)).toEqual([200, 5])
  expect(new Set(pages.flatMap(({ runs }) => runs.map(({ id }) => id))).size).toBe(205)
})

test('OBS-03 AGT-05 lists questions of all runs once, without those that only wait for a member', async () => {
  const store = memoryStore()
  const [one, other] = [clerk(store), team(store)]
  const { runId, suspended } = await one.run('Write to Anna.')
  await other.run('Keep the house.')
  const { read, write } = await studioOf({ store })
  const listed = async () => {
    const { runs } = await read<{ readonly runs: readonly AskingRun[] }>('suspended')
    return runs.map(({ record, calls }) => [record.agent, calls.map(({ toolName }) => toolName)])
  }
  expect(await listed()).toEqual(
    expect.arrayContaining([
      ['clerk', ['send_mail']],
      ['boss/helper/clerk', ['pay']],
    ]),
  )
  expect(await listed()).toHaveLength(2)
  await write(`runs/${runId}/decisions`, { decisions: [{ target: suspended[0]?.callId, action: 'resume' }] })
  expect(await listed()).toEqual([['boss/helper/clerk', ['pay']]])
})

test('OBS-03 a list of questions shows whether older runs wait too', async () => {
  const store = memoryStore()
  for (let run = 0; run < 100; run++) await clerk(store).run('Go')
  expect(await listQuestions(store)).toMatchObject({ hasMore: false, runs: { length: 100 } })
  await clerk(store).run('Go')
  expect(await listQuestions(store)).toMatchObject({ hasMore: true, runs: { length: 100 } })
})

test('OBS-03 a studio reads the cost of unchanged runs once', async () => {
  const inner = memoryStore()
  const agent = clerk(inner)
  onTestFinished(() => agent.close())
  const ids: string[] = []
  for (const prompt of ['One', 'Two']) ids.push((await agent.run(prompt)).runId)
  const asked: string[] = []
  const store = { ...inner, read: (runId: string) => (asked.push(runId), inner.read(runId)) }
  const { read } = await studioOf({ store })
  const first = await read<AboutStore>('store')
  expect([first.runs, asked.toSorted()]).toEqual([2, ids.toSorted()])
  const answered = await agent.load(ids[0] ?? '')
  const target = (await answered.result()).suspended[0]?.callId ?? ''
  await answered.approve(target)
  await answered.settled()
  asked.length = 0
  expect((await read<AboutStore>('store')).runs).toBe(2)
  expect(asked).toEqual([ids[0]])
})

test('OBS-03 AGT-05 a stored answer is not a failure if the family cannot be driven here', async () => {
  const inner = memoryStore()
  const agent = team(inner)
  onTestFinished(() => agent.close())
  const { runId } = await agent.run('Keep the house.')
  const store: Store = {
    ...inner,
    input: async () => {
      throw new StoreError('store_unavailable', 'The disk is gone.')
    },
  }
  const { read, write } = await studioOf({ store, agents: [agent] })
  const { runs } = await read<ListedQuestions>('suspended')
  const [{ record, calls } = {}] = runs
  const decisions = [{ target: calls?.[0]?.callId, action: 'resume' }]
  const { status, body } = await write(`runs/${record?.id}/decisions`, { decisions })
  expect(record?.id).not.toBe(runId)
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { receipts: [{ answer: 'applied' }], drive: 'elsewhere' },
  })
})

test('OBS-03 a studio sums the cost of runs, and revokes a grant', async () => {
  const store = memoryStore()
  const agent = clerk(store)
  onTestFinished(() => agent.close())
  const { runId, suspended } = await agent.run('Write to Anna.', { userId: 'anna' })
  const { read, write } = await studioOf({ store, agents: [agent] })
  const target = suspended[0]?.suspension?.id
  await write(`runs/${runId}/decisions`, { decisions: [{ target, action: 'resume', scope: 'always' }] })
  await (await agent.load(runId)).settled()
  const { costs, runs, grants, workers, postponed } = await read<AboutStore>('store')
  expect([runs, workers, postponed]).toEqual([1, [], []])
  expect(costs).toMatchObject([{ agent: 'clerk', runs: 1, cost: 0 }])
  expect(grants).toMatchObject([{ toolName: 'send_mail', says: 'allow', scope: 'always', by: 'studio' }])
  const path = `grants/${grants[0]?.id}/revoke`
  expect((await write(path, {})).body).toEqual({ isRevoked: true })
  expect(await write(path, {})).toMatchObject({ status: 409, body: { code: 'no_grant' } })
  expect((await read<AboutStore>('store')).grants).toEqual([])
  expect(await write(`postponed/${runId}/retry`, {})).toMatchObject({ status: 409, body: { code: 'not_postponed' } })
})
