import { type CliError, exitCodes, type ExitCode, toCliError } from './terminal/cli-error.ts'
import type { CliIo } from './terminal/cli-io.ts'
import { chat, noTerminal } from './chat/chat-command.ts'
import { decide } from './commands/decide-command.ts'
import { compactRun } from './commands/compact-command.ts'
import { deleteStored, prune } from './commands/delete-command.ts'
import { examine } from './commands/doctor.ts'
import { exportRun } from './commands/export-run.ts'
import { forkRun } from './commands/fork-command.ts'
import { drawGraph, passedBy } from './commands/graph-command.ts'
import { showGrants } from './commands/grants-command.ts'
import { helpText, packageVersion } from './setup/help-text.ts'
import { findRun } from './runs/find-run.ts'
import { listRuns } from './commands/list-runs.ts'
import { listSessions } from './commands/list-sessions.ts'
import { showRun } from './commands/show-run.ts'
import { isThere, placesOf, requireFolder } from './setup/places.ts'
import { parseCommand, type ParsedCommand } from './setup/parse-command.ts'
import { promptRun } from './commands/prompt-command.ts'
import { cancelRun, resumeRun, runPrompt } from './commands/run-commands.ts'
import { sayToRun } from './commands/say-command.ts'
import type { CommandResult } from './runs/run-report.ts'
import { oneLine, plainText, safeJson } from './terminal/safe-text.ts'
import { openSession, type Session } from './setup/session.ts'
import { serveStudio } from './commands/studio-command.ts'
import { watchRun } from './commands/watch-run.ts'
import { noAgents, work } from './commands/worker-command.ts'
import { showWorkers } from './commands/workers-command.ts'

/**
 * The command line: does what `argv` (without program and script) says and resolves to the exit code. Never
 * throws, never ends the process.
 */
export async function main(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  let command: ParsedCommand | undefined
  try {
    command = parseCommand(argv)
    const { exitCode, report } = await perform(command, command.options.json ? forProgram(io) : io)
    if (command.options.json) printJson(io, { command: command.name, exitCode, ...report })
    return exitCode
  } catch (error) {
    const failure = toCliError(error)
    const isDebugging = command?.options.debug ?? argv.includes('--debug')
    reportFailure(io, failure, isDebugging ? error : undefined)
    const { exitCode, code, message, hints } = failure
    const wantsJson = command?.options.json ?? argv.includes('--json')
    if (wantsJson) printJson(io, { command: command?.name ?? null, exitCode, error: { code, message, hints } })
    return exitCode
  }
}

/** Standard output is JSON alone, so that a program can read it whole. */
function forProgram(io: CliIo): CliIo {
  return { ...io, stdout: io.stderr, results: io.stdout }
}

async function perform(command: ParsedCommand, io: CliIo): Promise<CommandResult> {
  const { name, options } = command
  if (name === 'help') return printed(io, helpText(command.given['command']), {})
  if (name === 'version') {
    const version = await packageVersion()
    return printed(io, version, { version })
  }
  if (name === 'graph' && options.run === undefined) return await drawGraph(io, options, command.given['chart'])
  const places = placesOf(io, options)
  await requireFolder(places)
  if (name === 'doctor') return await examine(io, options, places)
  const mayBeMissing = name === 'runs' && options.store === undefined
  if (mayBeMissing && !(await isThere(places.file))) return printed(io, 'no runs', { runs: [] })
  if (name === 'worker' && options.agents === undefined) throw noAgents()
  const isTerminal = io.isTTY && !options.json
  const hasStore = places.database !== undefined || (await isThere(places.file))
  const isKnownTalk = options.session !== undefined && (hasStore || options.agents !== undefined)
  if (name === 'chat' && !isTerminal && !isKnownTalk) return noTerminal(io)
  // A conversation that is stored has a model already.
  const isNewTalk = name === 'chat' && isTerminal && (options.session === undefined || !hasStore)
  const startsRun = name === 'run' || name === 'prompt' || name === 'chat'
  const session = await openSession(io, options, {
    creates: name === 'run' || name === 'worker' || isNewTalk,
    startsRun,
  })
  try {
    return await withSession(session, name, command)
  } finally {
    await session.close()
  }
}

function printed({ stdout }: CliIo, text: string, report: object): CommandResult {
  stdout.write(`${text}\n`)
  return { exitCode: exitCodes.success, report }
}

async function withSession(
  session: Session,
  name: Exclude<ParsedCommand['name'], 'help' | 'version' | 'doctor'>,
  { given, options }: ParsedCommand,
): Promise<CommandResult> {
  const runId = () => findRun(session.store, given['id'])
  switch (name) {
    case 'run':
      return await runPrompt(session, given['prompt'])
    case 'runs':
      return await listRuns(session)
    case 'show':
      return await showRun(session, await runId())
    case 'approve':
    case 'deny':
    case 'respond':
      return await decide(session, name, await runId(), given)
    case 'resume':
      return await resumeRun(session, await runId())
    case 'steer':
    case 'follow-up':
      return await sayToRun(session, name, await runId(), given['text'] ?? '')
    case 'compact':
      return await compactRun(session, await runId())
    case 'prompt':
      return await promptRun(session, await runId(), given['prompt'])
    case 'worker':
      return await work(session)
    case 'workers':
      return await showWorkers(session, given['run'])
    case 'graph':
      return await drawGraph(session.io, options, given['chart'], await passedBy(session))
    case 'studio':
      return await serveStudio(session)
    case 'grants':
      return await showGrants(session)
    case 'cancel':
      return await cancelRun(session, await runId())
    case 'chat':
      return await chat(session)
    case 'sessions':
      return await listSessions(session)
    case 'watch':
      return await watchRun(session, await runId())
    case 'export':
      return await exportRun(session, await runId())
    case 'fork':
      return await forkRun(session, await runId())
    case 'delete':
      return await deleteStored(session, given['id'])
    case 'prune':
      return await prune(session)
  }
}

function reportFailure({ stderr }: CliIo, failure: CliError, cause: unknown): void {
  stderr.write(`statewright: ${oneLine(failure.message, 1_000)}\n`)
  for (const hint of failure.hints) stderr.write(`  ${oneLine(hint, 1_000)}\n`)
  if (cause instanceof Error && cause.stack !== undefined) stderr.write(`${plainText(cause.stack)}\n`)
}

function printJson({ stdout }: CliIo, value: object): void {
  stdout.write(`${safeJson(value)}\n`)
}
