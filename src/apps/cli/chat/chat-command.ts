import { type Run, textOf } from '../../../index.ts'
import type { StoredSession } from '../../../ports.ts'
import type { CliIo } from '../terminal/cli-io.ts'
import { CliError, exitCodes, messageOf } from '../terminal/cli-error.ts'
import { commandOn } from '../setup/command-table.ts'
import { findConversation } from '../runs/find-conversation.ts'
import { closingLines, type CommandResult, readReport } from '../runs/run-report.ts'
import { lastEventOf } from '../runs/shown-events.ts'
import { flow, plain } from '../terminal/flowing-text.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import { ChartState } from './chart-state.ts'
import { completionOf } from './complete.ts'
import { driveTalk, viewOn } from './drive-talk.ts'
import { withMentionedFiles } from './mentioned-files.ts'
import { isSlashCommand, performSlash, slashNames } from './slash-commands.ts'
import { Talk } from './talk.ts'
import { Terminal } from './terminal.ts'

/** The numbers of messages shown when a conversation is reopened: at least `few`, and from its last prompt at most `many`. */
const shownAgain = { few: 6, many: 30 }

/** `chat [--session <id>]`: a conversation at the terminal. Without a terminal, names the command that answers. */
export async function chat(session: Session): Promise<CommandResult> {
  const { options, store } = session
  const stored = options.session === undefined ? undefined : await findConversation(store, options.session)
  if (!session.isInteractive) return await withoutTerminal(session, stored)
  const chart = new ChartState(() => terminal.draw())
  const { inspect } = chart
  const made = await session.agentForTalk(stored?.lastRun, { inspect })
  const talk = new Talk(session, made, { id: stored?.id ?? options.session, inspect })
  const said = stored === undefined ? [] : await talk.conversation.messages()
  const history = said.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []))
  const complete = (before: string) => completionOf(before, talk.root, slashNames)
  const terminal = new Terminal(session.io, session.paint, { history, chart, complete })
  terminal.begin()
  try {
    const { screen } = terminal
    screen.write(`conversation ${talk.conversation.id}; /help lists the commands\n`)
    const labels = Object.entries(made.details.labels ?? {}).map(([name, value]) => `${name} ${oneLine(value, 500)}`)
    if (labels.length > 0) screen.write(`${flow(labels.join(', '), { width: screen.columns - 1, paint: plain })}\n`)
    if (said.length > 0) {
      const view = viewOn(terminal, session)
      const from = Math.min(
        said.length - shownAgain.few,
        said.findLastIndex(({ role }) => role === 'user'),
      )
      for (const message of said.slice(Math.max(0, from, said.length - shownAgain.many))) view.tell(message)
      view.finish()
      const { usage, cost } = await talk.conversation.usage()
      terminal.used = { tokens: usage.totalTokens, cost }
    }
    terminal.draw()
    await converse(session, talk, terminal)
  } finally {
    terminal.end()
  }
  return await farewell(session, talk)
}

async function converse(session: Session, talk: Talk, terminal: Terminal): Promise<void> {
  const parts = { session, talk, terminal }
  /** The number of the last event on the screen, by run. */
  const shown = new Map<string, number>()
  const drive = async (run: Run) => {
    const last = await driveTalk(session, terminal, talk.agent, run, { said, last: shown.get(run.id) })
    if (last !== undefined) shown.set(run.id, last)
  }
  const said = (run: Run, line: string) => void sayMeanwhile(run, line)
  const sayMeanwhile = async (run: Run, line: string) => {
    if (line.trim() === '') return
    if (isSlashCommand(line)) return void (await performSlash(parts, line, true))
    terminal.queued = [...terminal.queued, line]
    terminal.draw()
    const refused = await run.steer(line).then(({ message }) => message, messageOf)
    if (refused === undefined) return
    terminal.queued = terminal.queued.filter((queued) => queued !== line)
    terminal.screen.write(`Not sent: ${oneLine(refused, 500)}\n`)
  }
  let open = (await talk.conversation.state())?.active
  if (open !== undefined) shown.set(open.runId, await lastEventOf(await talk.agent.load(open.runId)))
  while (!terminal.hasLeft) {
    // The run that waits, or that another process drives.
    if (open !== undefined) await drive(await talk.agent.load(open.runId))
    const line = await terminal.nextLine()
    if (line === undefined) return
    open = undefined
    const run = await begin(session, talk, terminal, line)
    if (run === 'left') return
    if (run !== undefined) await drive(run)
    else if (line.trim() === '') open = (await talk.conversation.state())?.active
  }
}

/** Begins the run of a line. Returns undefined if the line begins none. Prints errors, and the chat continues. */
async function begin(
  session: Session,
  talk: Talk,
  terminal: Terminal,
  line: string,
): Promise<Run | 'left' | undefined> {
  if (line.trim() === '') return undefined
  const { screen } = terminal
  if (isSlashCommand(line)) {
    const after = await performSlash({ session, talk, terminal }, line, false)
    if (after === undefined) return undefined
    if ('left' in after) return 'left'
    if ('run' in after) return after.run
    screen.write(`conversation ${after.opened}\n`)
    return undefined
  }
  const shown = line
    .split('\n')
    .map((each) => flow(`> ${oneLine(each, 500)}`, { width: screen.columns - 1, paint: plain }))
  screen.write(`${session.paint('bold', shown.join('\n'))}\n`)
  try {
    const prompt = await withMentionedFiles(line, talk.root)
    const active = (await talk.conversation.state())?.active
    if (active === undefined) return await talk.prompt(prompt)
    await talk.conversation.steer(prompt)
    screen.write('The model reads it when the waiting run continues.\n')
    return await talk.agent.load(active.runId)
  } catch (error) {
    const hints = error instanceof CliError ? error.hints : []
    screen.write(`${[oneLine(messageOf(error), 1_000), ...hints].join('\n')}\n`)
    return undefined
  }
}

/** Explains what to do without a terminal and without a conversation. */
export function noTerminal({ stdout }: Pick<CliIo, 'stdout'>): CommandResult {
  stdout.write(`${needsTerminal}\nWithout a terminal: statewright run "<prompt>"\n`)
  return { exitCode: exitCodes.waiting, report: {} }
}

const needsTerminal = 'chat needs a terminal, and there is none here.'

/** Names the command that answers the suspended call, or the command that sends a message. */
async function withoutTerminal(session: Session, stored: StoredSession | undefined): Promise<CommandResult> {
  const { options, print, io } = session
  const last = stored?.lastRun
  if (last === undefined) return noTerminal(io)
  print(needsTerminal)
  const report = await readReport(session, last)
  if (report.run.status === 'done') print(`Say it with: ${commandOn(['prompt', last], options)} "<text>"`)
  else print(...closingLines(session, report))
  return { exitCode: exitCodes.waiting, report }
}

async function farewell(session: Session, talk: Talk): Promise<CommandResult> {
  const { id } = talk.conversation
  const state = await talk.conversation.state()
  if (state === undefined) return { exitCode: exitCodes.success, report: { session: null } }
  // Without its usual start an id fits on a row of 80 columns.
  const short = id.replace(/^session_/, '')
  session.print(`to continue it: ${commandOn(['chat', '--session', short], session.options)}`)
  const isUnderWay = state.active?.status === 'running'
  return { exitCode: isUnderWay ? exitCodes.interrupted : exitCodes.success, report: { session: id } }
}
