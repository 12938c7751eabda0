import { checkRuns, type Store } from '../../../index.ts'
import { listWorkers, type WorkerRecord } from '../../../ports.ts'
import { chooseModel } from '../setup/choose-model.ts'
import { problemOfSandbox } from '../setup/choose-shell.ts'
import { counted, exitCodes, messageOf } from '../terminal/cli-error.ts'
import type { CliIo } from '../terminal/cli-io.ts'
import { foundPackages, setVariables } from '../setup/surroundings.ts'
import { allRuns } from '../runs/find-run.ts'
import { packageVersion } from '../setup/help-text.ts'
import type { Options } from '../setup/options.ts'
import { agentName, isThere, type Places, printedAddress } from '../setup/places.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { oneLine } from '../terminal/safe-text.ts'
import { openSession, type Session } from '../setup/session.ts'
import { beatMs } from './workers-command.ts'

/**
 * `doctor`: reports the surroundings of the command line. With `--runs`, also lists open runs that this version could
 * not continue. It performs and changes nothing.
 */
export async function examine(io: CliIo, options: Options, places: Places): Promise<CommandResult> {
  const node = process.versions.node
  const model = await modelFound(options, io)
  const sandbox = await problemOfSandbox('bubblewrap')
  const place = places.database === undefined ? places.file : printedAddress(places.database)
  const file = oneLine(place, 500)
  const version = await packageVersion()
  const { keys, servers } = setVariables(io)
  const packages = await foundPackages()
  const namedPackages = Object.entries(packages).map(([name, found]) => `${name} ${found}`)
  const hasStore = options.store !== undefined || (await isThere(places.file))
  print(io, [
    `version     ${version}`,
    `node        ${node}`,
    `packages    ${namedPackages.join(', ') || 'no optional one'}`,
    `keys        ${keys.join(', ') || 'none is set'}`,
    ...Object.entries(servers).map(([name, address]) => `server      ${name} ${oneLine(address, 500)}`),
    `model       ${model.name ?? `none: ${oneLine(model.problem ?? '', 500)}`}`,
    `bubblewrap  ${sandbox === undefined ? 'ready' : oneLine(sandbox, 500)}`,
    ...(hasStore ? [] : [`store       none yet: ${file}`]),
  ])
  const sandboxes = { bubblewrap: sandbox === undefined }
  const found = { version, node, packages, keys, servers, model: model.name ?? null, sandboxes }
  if (!hasStore) return { exitCode: exitCodes.success, report: { ...found, store: null } }
  const session = await openSession(io, options, { creates: false })
  try {
    const runs = await allRuns(session.store)
    const driven = await drivenRuns(session.store)
    const held = driven.length === 0 ? 'no run is driven' : `driven now: ${driven.map((id) => oneLine(id)).join(', ')}`
    print(io, [`store       ${file}, ${counted(runs.length, 'run')}`, `locks       ${held}`])
    const report = { ...found, store: { file: place, runs: runs.length, driven } }
    if (!options.runs) return { exitCode: exitCodes.success, report }
    const { exitCode, report: checked } = await examineRuns(session)
    return { exitCode, report: { ...report, ...checked } }
  } finally {
    await session.close()
  }
}

/** Returns the ids of runs that a process drives now. */
async function drivenRuns(store: Store): Promise<readonly string[]> {
  const running = await store.list({ status: 'running', limit: Number.MAX_SAFE_INTEGER })
  const looked = await Promise.all(running.map(async ({ id }) => ((await store.record(id)).isDriven ? [id] : [])))
  return looked.flat()
}

async function modelFound(options: Options, io: CliIo): Promise<{ name?: string; problem?: string }> {
  return await chooseModel(options.model, io).then(
    ({ provider, id }) => ({ name: oneLine(`${provider}/${id}`) }),
    (error: unknown) => ({ problem: messageOf(error) }),
  )
}

async function examineRuns(session: Session): Promise<CommandResult> {
  const { store, io, paint } = session
  const { checked, problems } = await checkRuns(store, session.storingAgent())
  const open = (await allRuns(store)).filter((run) => !('damaged' in run) && run.status !== 'done')
  const others = open.filter((run) => 'agent' in run && run.agent.split('/')[0] !== agentName).length
  const unknownVersions = versionsWithoutWorker(open, await listWorkers(store))
  const own = counted(checked, 'open run')
  print(io, [
    problems.length === 0
      ? `runs        ${own}: ${paint('green', 'nothing stands in the way')}`
      : `runs        ${own}, ${paint('red', `${problems.length} cannot go on`)}`,
    ...problems.flatMap(({ runId, status, code, message }) => [
      `  ${oneLine(runId)}  ${status ?? 'damaged'}  ${code}`,
      `    ${oneLine(message, 1_000)}`,
    ]),
    ...(others === 0 ? [] : [`            ${others} open of other agents: their programs check them, by checkRuns`]),
    ...unknownVersions.map(({ agent, version, runIds }) => {
      const kept = `kept for version "${oneLine(version)}" of the agent "${oneLine(agent)}", which no worker has`
      return `            ${counted(runIds.length, 'open run')} ${kept}: ${runIds.map((id) => oneLine(id)).join(', ')}`
    }),
  ])
  const isWell = problems.length === 0 && unknownVersions.length === 0
  const report = { checked, problems, ofOtherAgents: others, unknownVersions }
  return { exitCode: isWell ? exitCodes.success : exitCodes.unusable, report }
}

/** Returns the versions that open runs are kept for, and that no worker drives which said so lately. */
function versionsWithoutWorker(runs: Awaited<ReturnType<typeof allRuns>>, workers: readonly WorkerRecord[]) {
  const isDriven = (agent: string, version: string) =>
    workers.some(
      ({ agents, versions, silentMs }) =>
        silentMs <= beatMs && agents.some((name, place) => name === agent && versions?.[place] === version),
    )
  const kept = runs.flatMap((run) =>
    'damaged' in run || run.agentVersion === undefined ? [] : { ...run, version: run.agentVersion },
  )
  return [...Map.groupBy(kept, ({ agent, version }) => JSON.stringify([agent, version])).values()].flatMap((group) => {
    const [first] = group
    if (first === undefined || isDriven(first.agent, first.version)) return []
    return { agent: first.agent, version: first.version, runIds: group.map(({ id }) => id) }
  })
}

function print({ stdout }: CliIo, lines: readonly string[]): void {
  for (const line of lines) stdout.write(`${line}\n`)
}
