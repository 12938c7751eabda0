import { type Agent, type AgentEvent, type Message, type Run, StoreError, textOf } from '../../../index.ts'
import { messageOf } from '../terminal/cli-error.ts'
import { trusting } from '../commands/decide-command.ts'
import { revokingLine } from '../commands/grants-command.ts'
import { askWhileOpen } from '../runs/open-question.ts'
import { closingLines, readReport } from '../runs/run-report.ts'
import { createRunView, type RunView } from '../runs/run-view.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import { suspendedCalls } from '../setup/suspended-calls.ts'
import { nextChange, WatchedRun } from '../runs/watched-run.ts'
import { answerCall } from './answer-call.ts'
import type { Terminal } from './terminal.ts'

/** Handlers of the person's input while a run is driven. */
export interface Saying {
  /** Sends a line to the run, or performs a command that is allowed meanwhile. */
  said(run: Run, text: string): void
  /** True if the run's messages so far are on the screen. */
  readonly isShown?: boolean
}

/** One run of a conversation, with the places of its displayed messages. */
interface TalkedRun {
  readonly run: Run
  readonly shown: Set<number>
}

/** Drives a run of a conversation until it is done or the person leaves it, and asks for answers to suspended calls. */
export async function driveTalk(
  session: Session,
  terminal: Terminal,
  agent: Agent,
  first: Run,
  saying: Saying,
): Promise<void> {
  const { store } = session
  const places = saying.isShown === true ? (await session.standingOf(first.id)).messages.map(({ place }) => place) : []
  const shown = new Set(places)
  for (let run = first; ; run = await agent.load(first.id)) {
    terminal.send({ type: 'run.begun' })
    await watch(session, terminal, { run, shown }, saying)
    if (terminal.hasLeft) return
    const { status } = await store.record(run.id)
    if (status !== 'waiting' || !(await answerAll(session, terminal, run))) break
  }
  terminal.status('')
  terminal.queued = []
  terminal.send({ type: 'run.rested' })
  if (!terminal.hasLeft) await conclude(session, terminal, first.id)
}

async function watch(session: Session, terminal: Terminal, talked: TalkedRun, saying: Saying): Promise<void> {
  const { io } = session
  const { run, shown } = talked
  const screen = { ...session.io, stdout: terminal.screen }
  // Reads the width for each row, because the terminal may be resized meanwhile.
  Object.defineProperty(screen, 'columns', { get: () => terminal.screen.columns, configurable: true })
  const status = { show: (label: string) => terminal.status(label), add: () => {}, clear: () => {} }
  const view = createRunView({ io: screen, paint: session.paint, isInteractive: true, status })
  const running = new Map<string, string>()
  const see = (event: AgentEvent) => {
    if (event.type === 'message.ended') shown.add(event.place)
    follow(event, terminal, view, running)
    view.show(event)
  }
  const listener = {
    said: (text: string) => saying.said(run, text),
    interrupted: () => void interrupt(terminal, run, running),
  }
  terminal.status('working')
  try {
    await terminal.listening(
      listener,
      () => void run.detach(),
      async () => await drive(session, terminal, talked, { see, view, running }),
    )
  } catch (error) {
    if (!terminal.hasLeft) throw error
  } finally {
    view.finish()
    if (io.signal.aborted) terminal.leave()
  }
}

/** The parts that follow a run: its event handler, its view, and its running calls. */
interface Following {
  see(event: AgentEvent): void
  readonly view: RunView
  readonly running: Map<string, string>
}

/** The number of looks at another process's run per attempt to drive it here. */
const looksPerTry = 4

/** Drives a run, or shows its stored state while another process drives it. */
async function drive(
  session: Session,
  terminal: Terminal,
  { run, shown }: TalkedRun,
  { see, view, running }: Following,
): Promise<void> {
  const tell = (message: Message) => {
    if (message.role === 'user') hear(textOf(message), terminal, () => {})
    view.tell(message)
  }
  const watched = new WatchedRun(session, run.id, { ...view, tell }, shown)
  for (let looks = 0; !terminal.hasLeft; looks++) {
    try {
      if (looks % looksPerTry === 0) {
        for await (const event of run) see(event)
        // Another process may have driven the run meanwhile.
        await watched.look()
        return
      }
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'run_is_driven') throw error
      terminal.forgetChart()
      terminal.status('another process drives it')
    }
    if ((await watched.look()) === 'atRest') return
    running.clear()
    for (const { record } of await session.store.calls(run.id))
      if (record.status === 'running') running.set(record.callId, record.toolName)
    await nextChange(session, run.id)
  }
}

function follow(event: AgentEvent, terminal: Terminal, view: RunView, running: Map<string, string>): void {
  if (event.type === 'toolExecution.started') {
    running.set(event.callId, event.toolName)
    terminal.status(`running ${oneLine(event.toolName, 40)}`)
  } else if (event.type === 'toolExecution.ended') {
    running.delete(event.callId)
    terminal.status('working')
  } else if (event.type === 'message.updated') {
    if (event.delta.type === 'text') terminal.status('writing')
  } else if (event.type === 'message.ended') {
    if (event.message.role === 'user') hear(textOf(event.message), terminal, () => view.tell(event.message))
  } else if (event.type === 'turn.ended') {
    terminal.used = { ...terminal.used, tokens: terminal.used.tokens + event.usage.totalTokens }
  } else if (event.type === 'run.ended') {
    terminal.used = { ...terminal.used, cost: terminal.used.cost + event.cost }
  }
}

/** Moves a delivered message from the queue to the output. */
function hear(text: string, terminal: Terminal, tell: () => void): void {
  if (!terminal.queued.includes(text)) return
  terminal.queued = terminal.queued.filter((queued) => queued !== text)
  tell()
}

/** Handles the first Ctrl-C: cancels the running calls, or the run if no call is running. */
async function interrupt({ screen }: Terminal, run: Run, running: ReadonlyMap<string, string>): Promise<void> {
  const print = (text: string) => screen.write(`${text} Ctrl-C again leaves.\n`)
  try {
    if (running.size === 0) {
      print('Cancelling the answer.')
      await run.cancel('Ctrl-C')
    }
    for (const [callId, name] of running) {
      print(`Cancelling ${oneLine(name)}.`)
      await run.cancelCall(callId, 'Ctrl-C')
    }
  } catch (error) {
    screen.write(`${oneLine(messageOf(error), 500)}\n`)
  }
}

/**
 * Asks about each suspended call; returns false if a call is left for later. A refused answer is asked for again, and a
 * question that was answered elsewhere is withdrawn.
 */
async function answerAll(session: Session, terminal: Terminal, run: Run): Promise<boolean> {
  terminal.status('waiting for you')
  for (const call of await suspendedCalls(session, run.id)) {
    for (;;) {
      const given = await askWhileOpen(session, run.id, call, (withdrawn) => {
        withdrawn.addEventListener('abort', terminal.withdraw)
        return answerCall(session, terminal, run.id, call)
      })
      if ('elsewhere' in given) {
        terminal.send({ type: 'answer.given' })
        terminal.screen.write(`${given.elsewhere}\n`)
        break
      }
      const decision = given.answer
      if (decision === undefined) {
        if (!terminal.hasLeft) terminal.send({ type: 'question.left' })
        return false
      }
      const [receipt] = await run.decide([decision])
      terminal.send({ type: 'answer.given' })
      if (receipt?.message !== undefined) {
        terminal.screen.write(`${receipt.answer}: ${oneLine(receipt.message, 500)}\n`)
      }
      if (receipt?.answer === 'refused' && decision.scope === 'always') terminal.screen.write(`${trusting}\n`)
      const revoking = decision.scope === 'always' ? await revokingLine(session, run.id, call.callId) : undefined
      if (revoking !== undefined) terminal.screen.write(`${revoking}\n`)
      if (receipt?.answer !== 'refused') break
    }
  }
  return !terminal.hasLeft
}

/** Prints the state of a resting run; prints nothing if it has just ended well. */
async function conclude(session: Session, { screen }: Terminal, runId: string): Promise<void> {
  const report = await readReport(session, runId)
  if (report.run.status === 'waiting') {
    screen.write('It waits for your answer: Enter shows the question again.\n')
    return
  }
  if (report.run.reason === 'natural_end' && report.warning === null && report.undelivered === undefined) return
  for (const line of closingLines(session, report)) screen.write(`${line}\n`)
}
