import { join } from 'node:path'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { emptySchemas } from '../../../proof/support/postgres-subject.ts'
import { hasPostgres, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { isWhole, sampled } from '../../../proof/support/sampled.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { countedIds } from '../../../proof/support/test-agent.ts'
import { type AgentOptions, createAgent, type Model, type Plugin, textOf } from '../../../src/index.ts'
import { statelyInspector } from '../../../src/adapters/inspect/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { openTelemetry } from '../../../src/adapters/telemetry/index.ts'
import { readLiveAnswer } from '../../../src/core/driving/store-live-answer.ts'
import { systemClock } from '../../../src/core/ports/system-clock.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { createAgUiHandlers } from '../../../src/servers/ag-ui.ts'
import { createChatHandlers } from '../../../src/servers/ai-sdk.ts'
import { createHandlers } from '../../../src/servers/http/server.ts'
import { type CrashPoint, MortalProcess, pointsUpTo } from '../../../src/testing/crash/mortal-process.ts'
import { mortalStore } from '../../../src/testing/crash/mortal-store.ts'
import { askStudio, studioFor } from '../../servers/studio/open.ts'
import {
  agUiRequest,
  chatRequest,
  hiding,
  lettersIn,
  pairIn,
  places,
  refusing,
  secret,
  teller,
} from './secret-teller.ts'

sayNoPostgres('the rows of answers on Postgres are')

/** The ways in which another agent answers for one. */
const ways = ['sub-agent', 'hand-over', 'background', 'branch'] as const
type Way = (typeof ways)[number]

type FamilyOptions = Omit<AgentOptions, 'name' | 'model'> & { readonly model: Model; readonly plugin: Plugin }

/** A boss whose member says the secret, in the way that the last message of the user names. */
function familyOf({ model, plugin, ...options }: FamilyOptions) {
  const { compaction } = options
  const member = (name: string) => createAgent({ name, model, plugins: [plugin], ...(compaction && { compaction }) })
  const other = createAgent({ name: 'other', model: scripted(() => 'I know no word.') })
  const asks = scripted(({ messages }) => {
    const last = messages.at(-1)
    const way = last?.role === 'user' ? ways.find((one) => textOf(last).startsWith(one)) : undefined
    if (way === undefined || way === 'branch') return 'So it is.'
    return { toolCalls: [{ id: 'c', name: way, arguments: way === 'hand-over' ? {} : { prompt: 'Tell' } }] }
  })
  const tools = [
    member('asked').asTool({ name: 'sub-agent', description: 'Asks.' }),
    member('speaker').asHandover({ name: 'hand-over', when: 'Always.' }),
    member('worker').asTool({ name: 'background', description: 'Asks.', background: true }),
  ]
  const boss = createAgent({ name: 'boss', model: asks, tools, ...options })
  return { boss, branches: [member('member'), other] }
}

/** Calls what is to happen regularly once, as soon as everybody else has worked. */
const soon = (_: number, act: () => void) => {
  const next = setImmediate(act)
  return () => clearImmediate(next)
}
const turn = () => new Promise((next) => setImmediate(next))

// The gate splits the word of one plugin at each place, said in one of the ways, and that of the others at two, said in each.
test.for<[string, Plugin, number, readonly number[]]>([
  ['refused in a window of 8', { ...refusing, answerWindow: 8 }, 16, places],
  ['hidden in a window of 24', { ...hiding, answerWindow: 24 }, 0, sampled(places, 11, 3)],
  ['hidden whole', hiding, 0, sampled(places, 11, 7)],
])(
  'PH-05 AGT-05 AGT-06 TC-10 no letter of a word beyond the window leaves a family, %s, in whatever way its member says it',
  { timeout: 600_000 },
  async ([, plugin, most, chosen]) => {
    const doors = new Map<string, string>()
    const heard = (door: string, value: unknown) =>
      void doors.set(door, (doors.get(door) ?? '') + (typeof value === 'string' ? value : JSON.stringify(value)))
    const file = join(await temporaryFolder(), 'runs.db')
    const open = () => sqliteStore(file, { synchronous: 'normal', secureDelete: true, pollMs: 5 })
    const [store, elsewhere] = [open(), open()]
    // Another process reads each answer that is under way.
    const readElsewhere = async () => {
      for (let turns = 0; turns < 3; turns++) {
        for (const { id } of await elsewhere.list({ status: 'running', limit: 12 }))
          heard('answer under way', (await readLiveAnswer(elsewhere, id)) ?? '')
        await turn()
      }
    }
    const { model, splitAt } = teller(readElsewhere)
    const exporter = new InMemorySpanExporter()
    const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
    const tracer = await openTelemetry({ tracerProvider, content: true })
    const inspect = statelyInspector({ send: (message) => heard('inspector', message) })
    const clock = { now: systemClock.now, sleepUntil: systemClock.sleepUntil, every: soon }
    const { boss, branches } = familyOf({ model, plugin, store, clock, tracer, inspect })
    boss.on((event) => heard('events', event))
    const others = familyOf({ model, plugin, store: elsewhere }).boss
    const all = { authorize: () => true }
    const [pages, far] = [createHandlers(boss, all), createHandlers(others, all)]
    const [chat, agUi] = [createChatHandlers(boss, all), createAgUiHandlers(boss, all)]
    const { url: studio } = await studioFor({ store, agents: [boss] })
    const say = async (way: Way, place: number) => {
      const talk = boss.session(`${way}-${place}`)
      const run =
        way === 'branch'
          ? await talk.parallel(branches, { prompt: way, strategy: 'pickFirst' })
          : await talk.prompt(way)
      const following = run.settled()
      const stream = async (door: string, { fetch }: typeof pages) =>
        heard(door, await (await fetch(new Request(`http://x.example/runs/${run.id}/events?deltas=1`))).text())
      await Promise.all([stream('HTTP', pages), stream('HTTP elsewhere', far)])
      const last = await following
      for (const { childRunId } of await (await boss.load(last.runId)).background())
        await (await boss.load(childRunId)).settled()
      heard('result', [last, await talk.messages()])
      if (way === 'branch') return
      heard('AI SDK', await (await chat.fetch(chatRequest(`chat-${way}-${place}`, way))).text())
      heard('AG-UI', await (await agUi.fetch(agUiRequest(`thread-${way}-${place}`, way))).text())
    }
    for (const place of chosen) {
      splitAt(place)
      const played = isWhole || chosen.length < 9 ? ways : ways.filter((_, at) => (place + at) % 4 === 0)
      await Promise.all(played.map((way) => say(way, place)))
    }
    const runs = await store.list({ limit: 10_000 })
    for (const { id } of runs) heard('store', await store.read(id))
    for (const { id } of runs.slice(0, 12))
      for (const end of ['summary', 'events?after=0', 'family'])
        heard('studio', await (await askStudio(`${studio}api/runs/${id}/${end}`)).text())
    await boss.close()
    await others.close()
    await inspect.close()
    heard(
      'spans',
      exporter.getFinishedSpans().map(({ name, attributes, status, events }) => [name, attributes, status, events]),
    )
    await elsewhere.close()
    await store.close()
    heard('file', pairIn(file))

    const live = ['events', 'HTTP', 'HTTP elsewhere', 'answer under way', 'AI SDK', 'AG-UI']
    for (const [door, text] of doors) {
      const letters = lettersIn(text)
      const isRight = live.includes(door) ? secret.slice(0, most).startsWith(letters) : letters === ''
      expect([door, isRight, letters]).toEqual([door, true, letters])
    }
    expect([...doors].flatMap(([door, text]) => (/o not|\[hidden\]/.test(text) ? door : [])).toSorted()).toEqual([
      'AG-UI',
      'AI SDK',
      'HTTP',
      'HTTP elsewhere',
      'events',
      'result',
      'spans',
      'store',
      'studio',
    ])
    expect(lettersIn(doors.get('answer under way') ?? '').length > 0).toBe(most > 0)
    expect(doors.size).toBe(12)
  },
)

const compaction = { budget: 1500, systemTokens: 0, keepFirst: 1, keepLast: 1 }

interface Place {
  readonly store: Store
  readonly clock: ReturnType<typeof fakeClock>
  readonly process: string
}

/** Plays a conversation of three long prompts, or goes on with it, and forks it. */
async function talkThrough(way: Way, plugin: Plugin, { store, clock, process }: Place): Promise<void> {
  const { model, splitAt } = teller()
  splitAt(11)
  const { boss, branches } = familyOf({ model, plugin, store, clock, ids: countedIds(process), compaction })
  const prompts = [way, 'And again?', 'And once more?'].map((text) => `${text} ${'Please. '.repeat(450)}`)
  const talk = boss.session('s')
  for (let begun = 0; begun < 9; begun++) {
    const { active } = (await talk.state()) ?? {}
    const said = active === undefined ? await saidIn(talk) : 0
    const prompt = prompts[said]
    if (prompt === undefined) break
    const isGroup = way === 'branch' && (active?.runId.includes('.parallel.') ?? said === 0)
    if (isGroup) await (await talk.parallel(branches, { prompt, strategy: 'pickFirst', ifExists: 'attach' })).settled()
    else if (active !== undefined) await (await boss.load(active.runId)).settled()
    else await (await talk.prompt(prompt)).settled()
  }
  expect(await saidIn(talk)).toBe(prompts.length)
  const runs = (await store.list({ session: 's' })).map(({ id }) => id)
  for (const { childRunId } of await (await boss.load(runs[0] ?? '')).background())
    await (await boss.load(childRunId)).settled()
  const forked = (way === 'branch' ? runs[0] : runs.at(-1)) ?? ''
  const [first] = await (await boss.load(forked)).history()
  await (await boss.fork(forked, { from: first?.version ?? 0, runId: `fork-${process}` })).settled()
}

async function saidIn(talk: ReturnType<ReturnType<typeof familyOf>['boss']['session']>): Promise<number> {
  if ((await talk.state()) === undefined) return 0
  return (await talk.messages()).filter((one) => one.role === 'user' && textOf(one).endsWith('Please. ')).length
}

/** Everything that a store tells of its runs. */
async function storedIn(store: Store): Promise<string> {
  const read = []
  for (const { id } of await store.list({ limit: 1_000 })) {
    read.push(await store.read(id), await store.inbox(id))
    for (const { version } of await store.checkpoints(id)) read.push(await store.checkpoint(id, version))
  }
  return JSON.stringify(read)
}

/** Plays a conversation whose process dies at a point, and then the rest of it. `look` reads what is kept, in between too. */
async function crashed(
  [way, plugin]: readonly [Way, Plugin],
  point: CrashPoint,
  { store, clock }: Omit<Place, 'process'>,
  look: () => Promise<string>,
): Promise<string> {
  const dying = mortalStore(store, new MortalProcess(point))
  await talkThrough(way, plugin, { store: dying, clock, process: 'p1' }).catch(() => undefined)
  const found = await look()
  clock.advance(60_000)
  await talkThrough(way, plugin, { store, clock, process: 'p2' })
  const stored = await storedIn(store)
  expect(stored).toMatch(/I do not say it|\[hidden\]/)
  return found + lettersIn(stored) + (await look())
}

/** The points of a conversation whose process may die: some of them, or all under STATEWRIGHT_WHOLE=true. */
async function pointsOf(way: Way, plugin: Plugin, every: number): Promise<readonly CrashPoint[]> {
  const calm = new MortalProcess()
  const clock = fakeClock()
  const store = mortalStore(memoryStore({ clock }), calm)
  await talkThrough(way, plugin, { store, clock, process: 'p1' })
  expect(await storedIn(store)).toContain('"name":"compaction"')
  return sampled(pointsUpTo(calm.writes), every, way.length)
}

const plays = ways.flatMap((way) =>
  (
    [
      ['refused', refusing],
      ['hidden', hiding],
    ] as const
  ).map(([what, plugin]) => [way, what, plugin] as const),
)

test.each(plays)(
  'PH-05 CKP-03 AGT-05 no file of a store contains a letter of a word that a %s says and that is %s, after a crash, a compaction and a fork',
  { timeout: 600_000 },
  async (way, _, plugin) => {
    for (const point of await pointsOf(way, plugin, 41)) {
      const file = join(await temporaryFolder(), 'runs.db')
      const clock = fakeClock()
      const store = sqliteStore(file, { synchronous: 'normal', clock })
      const found = await crashed([way, plugin], point, { store, clock }, async () => pairIn(file))
      await store.close()
      expect([point, found + pairIn(file)]).toEqual([point, ''])
    }
  },
)

test.skipIf(!hasPostgres).each(plays.filter((_, at) => isWhole || at % 8 === 2))(
  'PH-05 CKP-03 AGT-05 no row of Postgres contains a letter of a word that a %s says and that is %s, after a crash, a compaction and a fork',
  { timeout: 600_000 },
  async (way, _, plugin) => {
    const takeSchema = emptySchemas(false)
    for (const point of await pointsOf(way, plugin, 61)) {
      const clock = fakeClock()
      const place = await takeSchema(clock)
      const store = place.open()
      const found = await crashed([way, plugin], point, { store, clock }, async () => lettersIn(await place.rows()))
      expect(await place.rows()).toMatch(/I do not say it|\[hidden\]/)
      await store.close()
      await place.giveBack()
      expect([point, found]).toEqual([point, ''])
    }
  },
)
