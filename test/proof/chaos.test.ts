import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasPostgres, sayNoPostgres } from '../../proof/support/postgres-server.ts'
import { runScript } from '../../proof/support/run-script.ts'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'

const sqlite = 'SQLite, many processes'
const postgres = 'Postgres, workers killed, stopped past the lease (SIGSTOP), database restarted, its connections cut'

sayNoPostgres('the chaos over Postgres is')

test('SCALE-01 CKP-05 AGT-05 AGT-18 runs and families end once each, and pay once, while their workers are killed and stopped', () => {
  const { figures, lines } = runScript('chaos', ['--stores', 'SQLite', '--runs', '6', '--faults', '2'])
  expect(lines[0]).toMatch(/[1-9]\d* of them families.*1 kill, 1 stop/)
  expect(figures).toMatchObject({ settings: [{ name: sqlite, faults: 2, lost: 0, doubled: 0 }], skipped: [] })
}, 120_000)

test.skipIf(!hasPostgres)(
  'SCALE-01 CKP-05 runs end once each, and pay once, while their database restarts and its connections are cut',
  () => {
    const { figures, lines } = runScript('chaos', ['--stores', 'Postgres', '--runs', '6', '--faults', '6'])
    expect(lines[0]).toMatch(/2 kill, 2 stop, 1 cut, 1 restart/)
    expect(figures).toMatchObject({ settings: [{ name: postgres, faults: 6, lost: 0, doubled: 0 }], skipped: [] })
  },
  120_000,
)

test('SCALE-01 TST-03 the chaos run notices abandoned runs', () => {
  const plan = ['--stores', 'SQLite', '--runs', '2', '--faults', '0', '--patience', '2']
  const { status, figures } = runScript('chaos', [...plan, '--plant', 'overlookingAnswers'])
  expect([status, figures]).toMatchObject([1, { settings: [{ lost: 2, doubled: 0 }] }])
}, 120_000)

test('SCALE-01 a chaos worker ends with its parent process', async () => {
  const folder = await temporaryFolder()
  const program = new URL('../../proof/chaos/worker-process.ts', import.meta.url).pathname
  const given = [program, folder, join(folder, 'runs.db')]
  const worker = spawn(process.execPath, given, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void worker.kill('SIGKILL'))
  await once(worker.stdout, 'data')
  worker.stdin.end()
  expect(await once(worker, 'exit')).toEqual([1, null])
}, 120_000)

test('SCALE-01 the chaos run reports a setting that it cannot play as skipped, not as passed', () => {
  const env = { ...process.env, STATEWRIGHT_POSTGRES_URL: '' }
  const { status, figures } = runScript('chaos', ['--stores', 'Postgres', '--runs', '1', '--faults', '0'], env)
  expect([status, figures]).toMatchObject([0, { settings: [], skipped: [{ name: postgres }] }])
}, 120_000)
