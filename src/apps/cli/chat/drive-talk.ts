import { type Agent, type AgentEvent, type Run, StoreError, textOf } from '../../../index.ts'
import { messageOf } from '../terminal/cli-error.ts'
import { askCalls } from '../runs/ask-calls.ts'
import { closingLines, readReport } from '../runs/run-report.ts'
import { createRunView, type RunView } from '../runs/run-view.ts'
import { showEvents, telling } from '../runs/shown-events.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import { isSlashCommand } from './slash-commands.ts'
import type { Terminal } from './terminal.ts'

/** Handlers of the person's input while a run is driven. */
export interface Saying {
  /** Sends a line to the run, or performs a command that is allowed meanwhile. */
  said(run: Run, text: string): void
  /** The number of the last event on the screen; undefined for a run that is not on it. */
  readonly last: number | undefined
}

interface TalkedRun {
  run: Run
  last: number | undefined
  readonly view: RunView
}

/**
 * Drives a run of a conversation until it is done or the person leaves it, and asks about suspended calls. Returns the
 * number of the last event on the screen.
 */
export async function driveTalk(
  session: Session,
  terminal: Terminal,
  agent: Agent,
  first: Run,
  saying: Saying,
): Promise<number | undefined> {
  const { store } = session
  const talked: TalkedRun = { run: first, last: saying.last, view: viewOn(terminal, session) }
  for (; ; talked.run = await agent.load(first.id)) {
    const { run } = talked
    terminal.send({ type: 'run.begun' })
    await watch(session, terminal, talked, saying)
    if (terminal.hasLeft) return talked.last
    const { status } = await store.record(run.id)
    if (status !== 'waiting') break
    terminal.status('waiting for you')
    if (!(await askCalls(session, terminal, run)) || terminal.hasLeft) break
  }
  terminal.status('')
  terminal.queued = []
  terminal.send({ type: 'run.rested' })
  if (!terminal.hasLeft) await conclude(session, terminal, first.id)
  return talked.last
}

/** Returns a view of runs and messages on the screen of a conversation. */
export function viewOn(terminal: Terminal, { io, paint }: Session): RunView {
  const screen = { ...io, stdout: terminal.screen }
  // Reads the width for each row, because the terminal may be resized meanwhile.
  Object.defineProperty(screen, 'columns', { get: () => terminal.screen.columns, configurable: true })
  const status = { show: (label: string) => terminal.status(label), add: () => {}, clear: () => {} }
  return createRunView({ io: screen, paint, isInteractive: true, status })
}

async function watch(session: Session, terminal: Terminal, talked: TalkedRun, saying: Saying): Promise<void> {
  const { io } = session
  const { run, view } = talked
  const see = (event: AgentEvent) => {
    talked.last = event.seq ?? talked.last
    follow(event, terminal, view)
    view.show(event)
  }
  const listener = {
    said: (text: string) => {
      if (isSlashCommand(text)) view.pause()
      saying.said(run, text)
    },
    interrupted: () => {
      view.pause()
      void interrupt(session, terminal, run)
    },
  }
  terminal.status('working')
  try {
    await terminal.listening(
      listener,
      () => void run.detach(),
      async () => await drive(session, terminal, talked, { see, view }),
    )
  } catch (error) {
    if (!terminal.hasLeft) throw error
  } finally {
    view.finish()
    if (io.signal.aborted) terminal.leave()
  }
}

interface Following {
  see(event: AgentEvent): void
  readonly view: RunView
}

/** Drives a run, or shows its stored state while another process drives it. */
async function drive(session: Session, terminal: Terminal, talked: TalkedRun, { see, view }: Following): Promise<void> {
  const { run } = talked
  const tell = telling(session, run.id, view)
  const isElsewhere = () => {
    terminal.forgetChart()
    terminal.status('another process drives this run')
  }
  try {
    if (talked.last === undefined) for await (const event of run) see(event)
    else if ((await session.store.record(run.id)).isDriven) isElsewhere()
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'run_is_driven') throw error
    isElsewhere()
  }
  if (terminal.hasLeft) return
  await showEvents(
    run,
    { after: talked.last ?? 0, drive: true },
    {
      show: see,
      tell: async (event) => {
        isElsewhere()
        talked.last = event.seq
        if (event.type === 'message.ended' && event.message.role === 'user')
          hear(textOf(event.message), terminal, () => {})
        else count(event, terminal)
        await tell(event)
      },
    },
  )
}

function follow(event: AgentEvent, terminal: Terminal, view: RunView): void {
  if (event.type === 'toolExecution.started') terminal.status(`running ${oneLine(event.toolName, 40)}`)
  else if (event.type === 'toolExecution.ended') terminal.status('working')
  else if (event.type === 'message.updated') {
    if (event.delta.type === 'text') terminal.status('writing')
  } else if (event.type === 'message.ended') {
    if (event.message.role === 'user') hear(textOf(event.message), terminal, () => view.tell(event.message))
  } else count(event, terminal)
}

function count(event: AgentEvent, terminal: Terminal): void {
  const { tokens, cost } = terminal.used
  if (event.type === 'turn.ended') terminal.used = { cost, tokens: tokens + event.usage.totalTokens }
  else if (event.type === 'run.ended') terminal.used = { tokens, cost: cost + event.cost }
}

/** Moves a delivered message from the queue to the output. */
function hear(text: string, terminal: Terminal, tell: () => void): void {
  if (!terminal.queued.includes(text)) return
  terminal.queued = terminal.queued.filter((queued) => queued !== text)
  tell()
}

/** Handles the first Ctrl-C: cancels the running calls, or the run if no call is running. */
async function interrupt({ store }: Session, { screen }: Terminal, run: Run): Promise<void> {
  const print = (text: string) => screen.write(`${text} Ctrl-C again leaves.\n`)
  try {
    const running = (await store.calls(run.id)).filter(({ record }) => record.status === 'running')
    if (running.length === 0) {
      print('Cancelling the answer.')
      await run.cancel('Ctrl-C')
    }
    for (const { record } of running) {
      print(`Cancelling ${oneLine(record.toolName)}.`)
      await run.cancelCall(record.callId, 'Ctrl-C')
    }
  } catch (error) {
    screen.write(`${oneLine(messageOf(error), 500)}\n`)
  }
}

/** Prints the state of a resting run; prints nothing if it has just ended well. */
async function conclude(session: Session, { screen }: Terminal, runId: string): Promise<void> {
  const report = await readReport(session, runId)
  if (report.run.status === 'waiting') {
    screen.write('The run waits for your answer: Enter shows the question again.\n')
    return
  }
  if (report.run.reason === 'natural_end' && report.warning === null && report.undelivered === undefined) return
  for (const line of closingLines(session, report)) screen.write(`${line.replace(`run ${runId} `, '')}\n`)
}
