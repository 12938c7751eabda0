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
    const runId = () => findRun(session.store, command.given['id'])
    return await commands[name]({ ...command, session, runId })
  } finally {
    await session.close()
  }
}

/** A command on an open store. */
interface OnStore extends Pick<ParsedCommand, 'given' | 'options'> {
  readonly session: Session
  /** Returns the run that the command names. */
  runId(): Promise<string>
}

const decides =
  (name: 'approve' | 'deny' | 'respond') =>
  async ({ session, runId, given }: OnStore) =>
    (await import('./commands/decide-command.ts')).decide(session, name, await runId(), given)

const says =
  (name: 'steer' | 'follow-up') =>
  async ({ session, runId, given }: OnStore) =>
    (await import('./commands/say-command.ts')).sayToRun(session, name, await runId(), given['text'] ?? '')

const commands: Readonly<
  Record<Exclude<EngineCommand['name'], 'doctor' | 'prove'>, (on: OnStore) => Promise<CommandResult>>
> = {
  run: async ({ session, given }) => (await import('./commands/run-commands.ts')).runPrompt(session, given['prompt']),
  runs: async ({ session }) => (await import('./commands/list-runs.ts')).listRuns(session),
  show: async ({ session, runId }) => (await import('./commands/show-run.ts')).showRun(session, await runId()),
  resume: async ({ session, runId }) => (await import('./commands/run-commands.ts')).resumeRun(session, await runId()),
  compact: async ({ session, runId }) =>
    (await import('./commands/compact-command.ts')).compactRun(session, await runId()),
  prompt: async ({ session, runId, given }) =>
    (await import('./commands/prompt-command.ts')).promptRun(session, await runId(), given['prompt']),
  worker: async ({ session }) => (await import('./commands/worker-command.ts')).work(session),
  workers: async ({ session, given }) =>
    (await import('./commands/workers-command.ts')).showWorkers(session, given['run']),
  studio: async ({ session }) => (await import('./commands/studio-command.ts')).serveStudio(session),
  acp: async ({ session }) => (await import('./commands/acp-command.ts')).serveEditor(session),
  grants: async ({ session }) => (await import('./commands/grants-command.ts')).showGrants(session),
  cancel: async ({ session, runId }) => (await import('./commands/run-commands.ts')).cancelRun(session, await runId()),
  chat: async ({ session }) => (await import('./chat/chat-command.ts')).chat(session),
  sessions: async ({ session }) => (await import('./commands/list-sessions.ts')).listSessions(session),
  watch: async ({ session, runId }) => (await import('./commands/watch-run.ts')).watchRun(session, await runId()),
  export: async ({ session, runId }) => (await import('./commands/export-run.ts')).exportRun(session, await runId()),
  coverage: async ({ session }) => (await import('./commands/coverage-command.ts')).coverStored(session),
  diff: async ({ session }) => (await import('./commands/diff-command.ts')).diffStored(session),
  forecast: async ({ session }) => (await import('./commands/forecast-command.ts')).printForecast(session),
  record: async ({ session, runId }) =>
    (await import('./commands/record-command.ts')).recordRunAsTest(session, await runId()),
  fork: async ({ session, runId }) => (await import('./commands/fork-command.ts')).forkRun(session, await runId()),
  delete: async ({ session, given }) =>
    (await import('./commands/delete-command.ts')).deleteStored(session, given['id']),
  prune: async ({ session }) => (await import('./commands/delete-command.ts')).prune(session),
  approve: decides('approve'),
  deny: decides('deny'),
  respond: decides('respond'),
  steer: says('steer'),
  'follow-up': says('follow-up'),
  graph: async ({ session, options, given }) => {
    const { drawGraph, passedBy } = await import('./commands/graph-command.ts')
    return await drawGraph(session.io, options, given['chart'], await passedBy(session))
  },
}

function none({ stdout }: CliIo, what: 'runs' | 'sessions'): CommandResult {
  stdout.write(`no ${what}\n`)
  return { exitCode: exitCodes.success, report: { [what]: [] } }
}
