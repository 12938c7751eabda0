import { expect, test } from 'vitest'
import { bundleWorker } from '../../../../proof/engines/bundle-worker.ts'
import { objectSuites } from '../../../../proof/engines/object-suites.ts'
import { hasWorkerd, sayNoWorkerd } from '../../../../proof/engines/workerd.ts'
import { runScript } from '../../../../proof/support/run-script.ts'

sayNoWorkerd('tests of Durable Objects are')

test('SCALE-02 the bundle of the host imports nothing and has less than 400 kB', async () => {
  const host = await bundleWorker('src/adapters/hosts/durable-object/index.ts')
  expect(host.length).toBeGreaterThan(100_000)
  expect(host.length).toBeLessThan(400_000)
  await expect(bundleWorker('proof/engines/workers/run-worker.ts')).resolves.toContain('worker')
})

test.skipIf(!hasWorkerd)(
  'SCALE-02 CKP-05 CKP-06 the suites of stores and workers pass inside an object, but for a message of 5 MB',
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
  'SCALE-02 CKP-05 DEC-07 runs in objects come to one end each, and pay once, while workerd is killed',
  () => {
    const { status, figures } = runScript('engine', ['--runs', '6', '--kills', '3'])
    expect([status, figures]).toMatchObject([0, { settings: [{ kills: 3, lost: 0, doubled: 0 }], skipped: [] }])
  },
  240_000,
)

test.skipIf(!hasWorkerd).each(['repeating', 'sleeping'])(
  'SCALE-02 TST-03 the play notices objects with the planted bug %s',
  (bug) => {
    const plan = ['--runs', '10', '--kills', '6', '--effect', '500', '--patience', '8', '--plant', bug]
    const { status, figures } = runScript('engine', plan)
    const found = bug === 'repeating' ? 'doubled' : 'lost'
    expect([status, figures]).toMatchObject([1, { settings: [{ [found]: expect.any(Number) }] }])
    expect(figures).not.toMatchObject({ settings: [{ [found]: 0 }] })
  },
  240_000,
)
