import { checkRuns, type Store } from '../../../index.ts'
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

/**
 * `doctor`: reports what the command line finds here. With `--runs`, also lists open runs that this version could not
 * continue. It performs and changes nothing.
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
  const others = await openRunsOfOthers(store)
  const open = counted(checked, 'open run')
  print(io, [
    problems.length === 0
      ? `runs        ${open}: ${paint('green', 'nothing stands in the way')}`
      : `runs        ${open}, ${paint('red', `${problems.length} cannot go on`)}`,
    ...problems.flatMap(({ runId, status, code, message }) => [
      `  ${oneLine(runId)}  ${status ?? 'damaged'}  ${code}`,
      `    ${oneLine(message, 1_000)}`,
    ]),
    ...(others === 0 ? [] : [`            ${others} open of other agents: their programs check them, by checkRuns`]),
  ])
  const exitCode = problems.length === 0 ? exitCodes.success : exitCodes.unusable
  return { exitCode, report: { checked, problems, ofOtherAgents: others } }
}

async function openRunsOfOthers(store: Store): Promise<number> {
  const runs = await allRuns(store)
  return runs.filter((run) => !('damaged' in run) && run.status !== 'done' && run.agent !== agentName).length
}

function print({ stdout }: CliIo, lines: readonly string[]): void {
  for (const line of lines) stdout.write(`${line}\n`)
}
