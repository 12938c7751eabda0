import { listWorkers, type RunRecord, type WorkerRecord } from '../../../ports.ts'
import { exitCodes, misuse } from '../terminal/cli-error.ts'
import { commandOnStore, resumeCommand } from '../setup/command-table.ts'
import { findRun } from '../runs/find-run.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'

/** The maximum number of listed postponed runs. */
const mostListed = 100

/** The maximum milliseconds since a worker's last beat. A worker beats every 5 seconds, and one beat may be late. */
export const beatMs = 10_000

/** `workers [--retry <run>]`: lists the store's workers and postponed runs, or lets workers try a run again. */
export async function showWorkers(session: Session, given: string | undefined): Promise<CommandResult> {
  const { store, options } = session
  if (options.retry !== (given !== undefined)) {
    const usage = 'Usage: statewright workers [--retry <run>]'
    throw misuse('bad_option', 'workers takes a run only with --retry.', usage)
  }
  if (given !== undefined) return await retry(session, await findRun(store, given))
  const [workers, postponed] = await Promise.all([listWorkers(store), store.postponed({ limit: mostListed })])
  if (workers.length === 0) session.print('no worker has been seen for an hour')
  session.print(...workers.map(describeWorker))
  for (const { runId, agent, until, failures, problem } of postponed) {
    const when =
      until === undefined
        ? `set aside; ${commandOnStore(['workers', '--retry', runId], options)}`
        : `until ${new Date(until).toISOString()}`
    const why = problem === undefined ? 'begins later' : `failed ${failures} times: ${oneLine(problem, 500)}`
    session.print(`${runId} of ${oneLine(agent)}: ${why}; ${when}`)
  }
  return { exitCode: exitCodes.success, report: { workers, postponed } }
}

async function retry({ store, print }: Session, runId: string): Promise<CommandResult> {
  const isRetried = await store.retry(runId)
  print(isRetried ? `run ${runId}: workers may take it again` : `run ${runId} was not left alone by workers`)
  return { exitCode: exitCodes.success, report: { runId, isRetried } }
}

function describeWorker({ id, host, pid, agents, concurrency, driving, silentMs }: WorkerRecord): string {
  const seen = silentMs <= beatMs ? '' : `; not seen for ${Math.round(silentMs / 1000)} s`
  return `${oneLine(id)} (process ${pid} on ${oneLine(host)}) drives ${driving} of ${concurrency}: ${agents.map((name) => oneLine(name)).join(', ')}${seen}`
}

/** Names who drives a run that is not driven here: a worker of its agent, or the commands that start one. */
export async function whoGoesOn({ store, options }: Session, { id, agent }: RunRecord): Promise<string> {
  const known = (await listWorkers(store)).find(({ agents, silentMs }) => silentMs <= beatMs && agents.includes(agent))
  if (known !== undefined) {
    return `the run is continued by worker ${oneLine(known.id)} (process ${known.pid} on ${oneLine(known.host)})`
  }
  const { agents = '<module>' } = options
  const starting = commandOnStore(['worker', '--agents', agents], options)
  const ways = `${starting}, or ${resumeCommand(id, { ...options, agents })}`
  return `no worker of its agent "${oneLine(agent)}" has been seen: run ${ways}`
}
