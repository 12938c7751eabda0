import { exitCodes } from './terminal/cli-error.ts'
import type { CliIo } from './terminal/cli-io.ts'
import { findRun } from './runs/find-run.ts'
import type { CommandResult } from './runs/run-report.ts'
import type { ParsedCommand } from './setup/parse-command.ts'
import { isThere, placesOf, requireFolder } from './setup/places.ts'
import { openSession, type Session } from './setup/session.ts'

/** A command that needs the engine. */
interface EngineCommand extends ParsedCommand {
  readonly name: Exclude<ParsedCommand['name'], 'help' | 'version'>
}

/** Performs a command that needs the engine; each command loads its own modules. */
export async function performCommand(command: EngineCommand, io: CliIo): Promise<CommandResult> {
  const { name, options } = command
  if (name === 'graph' && options.run === undefined)
    return await (await import('./commands/graph-command.ts')).drawGraph(io, options, command.given['chart'])
  if (name === 'prove')
    return await (await import('./commands/prove-command.ts')).proveAgent(io, options, command.given['policy'])
  const places = placesOf(io, options)
  await requireFolder(places)
  if (name === 'doctor') return await (await import('./commands/doctor.ts')).examine(io, options, places)
  const isList = name === 'runs' || name === 'sessions'
  const mayBeMissing = options.store === undefined && options.agents === undefined
  if (isList && mayBeMissing && !(await isThere(places.file))) return none(io, name)
  if (name === 'worker' && options.agents === undefined) throw (await import('./commands/worker-command.ts')).noAgents()
  if (name === 'acp') {
    const { keepOutput, noAgentToServe } = await import('./commands/acp-command.ts')
    if (options.agents === undefined) throw noAgentToServe()
    keepOutput()
  }
  const isTerminal = io.isTTY && !options.json
  const hasStore = places.database !== undefined || (await isThere(places.file))
  const isKnownTalk = options.session !== undefined && (hasStore || options.agents !== undefined)
  if (name === 'chat' && !isTerminal && !isKnownTalk) return (await import('./chat/chat-command.ts')).noTerminal(io)
  // A stored conversation already has a model.
  const isNewTalk = name === 'chat' && isTerminal && (options.session === undefined || !hasStore)
  const startsRun = name === 'run' || name === 'prompt' || name === 'chat'
  const session = await openSession(io, options, {
    creates: name === 'run' || name === 'worker' || name === 'acp' || isNewTalk,
    startsRun,
  })
  try {
    return await withSession(session, name, command)
  } finally {
    await session.close()
  }
}

async function withSession(
  session: Session,
  name: Exclude<EngineCommand['name'], 'doctor' | 'prove'>,
  { given, options }: EngineCommand,
): Promise<CommandResult> {
  const runId = () => findRun(session.store, given['id'])
  switch (name) {
    case 'run':
      return await (await import('./commands/run-commands.ts')).runPrompt(session, given['prompt'])
    case 'runs':
      return await (await import('./commands/list-runs.ts')).listRuns(session)
    case 'show':
      return await (await import('./commands/show-run.ts')).showRun(session, await runId())
    case 'approve':
    case 'deny':
    case 'respond':
      return await (await import('./commands/decide-command.ts')).decide(session, name, await runId(), given)
    case 'resume':
      return await (await import('./commands/run-commands.ts')).resumeRun(session, await runId())
    case 'steer':
    case 'follow-up':
      return await (
        await import('./commands/say-command.ts')
      ).sayToRun(session, name, await runId(), given['text'] ?? '')
    case 'compact':
      return await (await import('./commands/compact-command.ts')).compactRun(session, await runId())
    case 'prompt':
      return await (await import('./commands/prompt-command.ts')).promptRun(session, await runId(), given['prompt'])
    case 'worker':
      return await (await import('./commands/worker-command.ts')).work(session)
    case 'workers':
      return await (await import('./commands/workers-command.ts')).showWorkers(session, given['run'])
    case 'graph': {
      const { drawGraph, passedBy } = await import('./commands/graph-command.ts')
      return await drawGraph(session.io, options, given['chart'], await passedBy(session))
    }
    case 'studio':
      return await (await import('./commands/studio-command.ts')).serveStudio(session)
    case 'acp':
      return await (await import('./commands/acp-command.ts')).serveEditor(session)
    case 'grants':
      return await (await import('./commands/grants-command.ts')).showGrants(session)
    case 'cancel':
      return await (await import('./commands/run-commands.ts')).cancelRun(session, await runId())
    case 'chat':
      return await (await import('./chat/chat-command.ts')).chat(session)
    case 'sessions':
      return await (await import('./commands/list-sessions.ts')).listSessions(session)
    case 'watch':
      return await (await import('./commands/watch-run.ts')).watchRun(session, await runId())
    case 'export':
      return await (await import('./commands/export-run.ts')).exportRun(session, await runId())
    case 'coverage':
      return await (await import('./commands/coverage-command.ts')).coverStored(session)
    case 'diff':
      return await (await import('./commands/diff-command.ts')).diffStored(session)
    case 'forecast':
      return await (await import('./commands/forecast-command.ts')).printForecast(session)
    case 'record':
      return await (await import('./commands/record-command.ts')).recordRunAsTest(session, await runId())
    case 'fork':
      return await (await import('./commands/fork-command.ts')).forkRun(session, await runId())
    case 'delete':
      return await (await import('./commands/delete-command.ts')).deleteStored(session, given['id'])
    case 'prune':
      return await (await import('./commands/delete-command.ts')).prune(session)
  }
}

function none({ stdout }: CliIo, what: 'runs' | 'sessions'): CommandResult {
  stdout.write(`no ${what}\n`)
  return { exitCode: exitCodes.success, report: { [what]: [] } }
}
