import { createWorker, type WorkerEvent } from '../../../core/workers/worker.ts'
import { type CliError, exitCodes, misuse } from '../terminal/cli-error.ts'
import { commandOnStore } from '../setup/command-table.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'

/**
 * `worker --agents <module>`: drives the runs of these agents that nobody drives, until Ctrl-C or SIGTERM. Then it lets
 * running work finish within a time limit and releases its leases.
 */
export async function work(session: Session): Promise<CommandResult> {
  const { agents, options, io, store } = session
  const { concurrency } = options
  const worker = createWorker({ agents, store, ...(concurrency === undefined ? {} : { concurrency }) })
  const names = agents.map(({ name }) => oneLine(name)).join(', ')
  if (options.json) session.emit({ type: 'begun', worker: worker.id, agents: agents.map(({ name }) => name) })
  else session.print(`worker ${worker.id} drives runs of ${names}; Ctrl-C or SIGTERM drains it`)
  let counts: WorkerEvent['counts'] = { driving: 0, claimed: 0, released: 0, failed: 0, left: 0 }
  worker.on((event) => {
    counts = event.counts
    if (options.json) session.emit(event)
    else session.print(...describe(event, session))
  })
  const forget = worker.drainOn('SIGTERM')
  const drain = () => void worker.drain()
  io.signal.addEventListener('abort', drain, { once: true })
  if (io.signal.aborted) drain()
  await worker.ended
  forget()
  if (!options.json) session.print(`worker ${worker.id} has released its runs`)
  return { exitCode: exitCodes.success, report: { worker: worker.id, counts } }
}

/** Returns the error of a worker without agents. */
export function noAgents(): CliError {
  return misuse('no_agents', 'A worker needs the agents whose runs it drives.', 'Name their module: --agents <file>')
}

function describe(event: WorkerEvent, { options }: Session): readonly string[] {
  switch (event.type) {
    case 'claimed':
      return [`claimed ${event.runId} of ${oneLine(event.agent)}`]
    case 'released':
      return [`released ${event.runId}: ${event.status}`]
    case 'failed':
      return [`failed ${event.runId}: ${oneLine(event.problem, 500)}${whatThen(event, options)}`]
    case 'left':
      return [`left to others: ${oneLine(event.problem, 500)}`]
    case 'unreachable':
      return [`the store cannot be reached: ${oneLine(event.problem, 500)}`]
    case 'idle':
      return []
  }
}

function whatThen(
  { runId, until, aside }: Extract<WorkerEvent, { readonly type: 'failed' }>,
  options: Session['options'],
): string {
  if (aside === true) return `; set aside until: ${commandOnStore(['workers', '--retry', runId], options)}`
  return until === undefined ? '' : `; left alone until ${new Date(until).toISOString()}`
}
