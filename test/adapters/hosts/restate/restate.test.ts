import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startJournal } from '../../../../proof/engines/journal.ts'
import { hasRestate, sayNoRestate, startRestate } from '../../../../proof/engines/restate-server.ts'
import { keptObjects } from '../../../../proof/engines/restate-suites.ts'
import { startObjects } from '../../../../proof/engines/restate-setting.ts'
import { shopAgent } from '../../../../proof/engines/shop-agent.ts'
import { runScript } from '../../../../proof/support/run-script.ts'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'
import { restateStore } from '../../../../src/adapters/hosts/restate/index.ts'

sayNoRestate('tests of Restate are')

/** The addresses at which a process listens, as Linux reports them in hexadecimal; empty on other systems. */
function listeningAddresses(pid: number): readonly string[] {
  if (process.platform !== 'linux') return []
  const sockets = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
    } catch {
      return []
    }
  })
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.includes(inode ?? ''))
      .map(([, local]) => local?.split(':')[0] ?? ''),
  )
}

test.skipIf(!hasRestate)(
  'SCALE-02 the server listens on loopback with all three addresses, and a run is driven, answered and read from here',
  async () => {
    const server = await startRestate({ folder: await temporaryFolder() })
    const journal = await startJournal(0)
    const objects = await startObjects({ ingress: server.url, journal: journal.url })
    onTestFinished(async () => {
      await objects.kill()
      await server.kill()
      await journal[Symbol.asyncDispose]()
    })
    const loopback = process.platform === 'linux' ? ['0100007F', '0100007F', '0100007F'] : []
    expect(listeningAddresses(server.pid)).toEqual(loopback)
    await server.deploy(objects.url)
    const store = restateStore({ ingress: server.url, object: 'order-17' })
    const shop = shopAgent({ store, act: async () => 'never here' })
    const run = shop.start('Buy it.', { runId: 'order-17', drive: false })
    await run.settled({ follow: true })
    expect((await run.approve()).answer).toBe('applied')
    await run.settled({ follow: true })
    expect((await store.record('order-17')).status).toBe('done')
    expect((await run.messages()).length).toBe(8)
    await store.close()
  },
  120_000,
)

test.skipIf(!hasRestate)(
  'SCALE-02 CKP-05 DEC-07 runs on Restate end once each, and pay once, while its server and the driver are killed',
  () => {
    const plan = ['--only', 'Restate', '--runs', '3', '--faults', '2']
    const { figures } = runScript('engine', plan)
    const faults = { processKills: 1, serverKills: 1 }
    expect(figures).toMatchObject({ settings: [{ faults, lost: 0, doubled: 0 }], skipped: [] })
  },
  240_000,
)

test.skipIf(!hasRestate).each(['Restate', 'Durable Object'])(
  'SCALE-02 examples of approvals, crashes, steps, sessions, permissions and several agents run unchanged on %s',
  async (engine) => {
    await using kept = await keptObjects()
    const folder = await temporaryFolder()
    const chosen = { ENGINE: engine, INGRESS: kept.url, NODE_OPTIONS: '--import ./proof/engines/choose-store.ts' }
    const env = { ...process.env, ...chosen, TMPDIR: folder }
    const run = promisify(execFile)
    const said: string[] = []
    for (const name of ['approval', 'crash-policy', 'steps', 'session-tree', 'permissions', 'agent-team']) {
      const { stdout } = await run(process.execPath, [`examples/${name}.ts`], { env })
      said.push(stdout.trimEnd().split('\n').at(-1) ?? '')
    }
    expect(said).toEqual([
      'done: It is out. Sent once: 900 to Ada. The second yes was a duplicate.',
      'All done. read ran again, put ran again under the same key, mail ran once',
      'All done. looked up at the third attempt, charged once, mailed by the second process',
      '      order-7.v1.4 (completed, 1 turns, branch other): Are they sent?',
      'done: It is paid. Mallory got nothing, and no grant is left over.',
      expect.stringMatching(/^It is out. The editor was asked .* approved: {"approved":true}$/),
    ])
  },
  240_000,
)
