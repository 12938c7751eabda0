import { expect, onTestFinished, test, vi } from 'vitest'
import { bundleWorker } from '../../../../proof/engines/bundle-worker.ts'
import { startJournal } from '../../../../proof/engines/journal.ts'
import { askObject, type ReadRun, readRun, token } from '../../../../proof/engines/object-client.ts'
import { objectSuites } from '../../../../proof/engines/object-suites.ts'
import { shopAgent } from '../../../../proof/engines/shop-agent.ts'
import { hasWorkerd, sayNoWorkerd, startWorkerd } from '../../../../proof/engines/workerd.ts'
import { runScript } from '../../../../proof/support/run-script.ts'
import { say } from '../../../../proof/support/say.ts'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'
import { memoryStore } from '../../../../src/core/stores/memory/memory-store.ts'
import { follow } from '../../../../src/index.ts'

sayNoWorkerd('tests of Durable Objects are')

test("SCALE-02 the host's bundle imports nothing and is smaller than 400 kB", async () => {
  const host = await bundleWorker('src/adapters/hosts/durable-object/index.ts')
  expect(host.length).toBeGreaterThan(100_000)
  expect(host.length).toBeLessThan(400_000)
  await expect(bundleWorker('proof/engines/workers/run-worker.ts')).resolves.toContain('worker')
})

test.skipIf(!hasWorkerd)(
  'SCALE-02 CKP-05 CKP-06 the suites of stores and workers pass inside an object, except for a message of 5 MB',
  async () => {
    await using suites = await objectSuites()
    const failed: string[] = []
    for (const { name, run } of [...suites.store, ...suites.worker])
      await run().catch((error: unknown) => failed.push(`${name}: ${String(error)}`))
    expect(failed).toEqual([expect.stringMatching(/^keeps messages and documents of 5 MB: .*holds at most 2 MB/)])
    expect([suites.store.length > 200, suites.worker.length > 5]).toEqual([true, true])
  },
  240_000,
)

test.skipIf(!hasWorkerd)(
  'SCALE-02 CKP-05 DEC-07 runs in objects end once each, and pay once, while workerd is killed and objects are evicted',
  () => {
    const { status, figures } = runScript('engine', ['--only', 'Durable Object', '--runs', '6', '--faults', '5'])
    expect([status, figures]).toMatchObject([
      0,
      { settings: [{ faults: { kills: 3, evictions: 2 }, lost: 0, doubled: 0 }], skipped: [] },
    ])
  },
  240_000,
)

test.skipIf(!hasWorkerd)(
  'SCALE-02 CKP-05 a run has one transcript, and pays once, at whichever write of its SQLite its object is cut off',
  () => {
    const { status, figures } = runScript('engine', ['--only', 'Durable Object', '--cuts', '--every', '5'])
    const [cut] = (figures as { readonly settings: readonly [{ readonly cuts: number }] }).settings
    expect(cut.cuts).toBeGreaterThan(15)
    expect([status, cut]).toMatchObject([0, { lost: 0, doubled: 0, changed: 0 }])
  },
  240_000,
)

/** Starts objects of the shop's agent. `restart` kills workerd and starts it again with the same objects. */
async function openShop() {
  const folder = await temporaryFolder()
  const journal = await startJournal(0)
  const script = await bundleWorker('proof/engines/workers/run-worker.ts')
  const start = () => startWorkerd({ folder, script, texts: { JOURNAL: journal.url, TOKEN: token } })
  let server = await start()
  onTestFinished(async () => {
    await server.kill()
    await journal[Symbol.asyncDispose]()
  })
  return {
    url: () => server.url,
    async restart() {
      await server.kill()
      server = await start()
    },
  }
}

/** Follows a run to its rest over server-sent events; returns the types of its events. */
async function followed(url: string, id: string): Promise<readonly string[]> {
  const headers = () => ({ authorization: `Bearer ${token}` })
  const types: string[] = []
  for await (const { type } of follow({ url: `${url}/${id}/runs/${id}`, headers })) types.push(type)
  return types
}

const rolesOf = (messages: ReadRun['messages']) => messages.map(say)

test.skipIf(!hasWorkerd)(
  'SCALE-02 an agent has the same transcript in this process and in an object, which can be followed from here',
  async () => {
    const { url } = await openShop()
    const here = shopAgent({ store: memoryStore(), act: async () => 'ok' })
    await here.run('Buy it.', { runId: 'same' })
    const local = await here.load('same')
    await local.approve()
    await local.settled()
    await askObject(url(), '/same/runs', { prompt: 'Buy it.', runId: 'same' })
    expect(await followed(url(), 'same')).toContain('run.waiting')
    const { suspended } = (await readRun(url(), 'same')) as ReadRun
    const [asked] = suspended
    const decision = { target: asked?.callId, action: 'resume', mode: 'replay' }
    await askObject(url(), '/same/runs/same/decisions', { decisions: [decision] })
    expect((await followed(url(), 'same')).at(-1)).toBe('run.ended')
    const { status, messages } = (await readRun(url(), 'same')) as ReadRun
    expect([status, rolesOf(messages)]).toEqual(['done', rolesOf(await local.messages())])
  },
  120_000,
)

test.skipIf(!hasWorkerd)(
  'SCALE-02 a question from before workerd was killed expires, although nobody asks about its run',
  async () => {
    const { url, restart } = await openShop()
    await askObject(url(), '/late/runs', { prompt: 'Ask.', runId: 'late' })
    await followed(url(), 'late')
    await restart()
    // Reads wake nothing: the alarm alone goes on with the run.
    await vi.waitFor(async () => expect(await readRun(url(), 'late')).toMatchObject({ status: 'done' }), {
      timeout: 60_000,
      interval: 100,
    })
    const { messages } = (await readRun(url(), 'late')) as ReadRun
    expect(rolesOf(messages).at(-1)).toBe('assistant: Nobody answered.')
  },
  120_000,
)

test.skipIf(!hasWorkerd).each(['repeating', 'sleeping'])(
  'SCALE-02 TST-03 the test notices objects with the planted bug %s',
  (bug) => {
    const plan = [
      '--only',
      'Durable Object',
      '--runs',
      '10',
      '--faults',
      '10',
      '--effect',
      '500',
      '--patience',
      '8',
      '--plant',
      bug,
    ]
    const { status, figures } = runScript('engine', plan)
    const found = bug === 'repeating' ? 'doubled' : 'lost'
    expect([status, figures]).toMatchObject([1, { settings: [{ [found]: expect.any(Number) }] }])
    expect(figures).not.toMatchObject({ settings: [{ [found]: 0 }] })
  },
  240_000,
)
