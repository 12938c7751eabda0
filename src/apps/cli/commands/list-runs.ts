import type { DamagedRun, RunRecord, RunStatus } from '../../../ports.ts'
import type { Message, Store } from '../../../index.ts'
import { textOf } from '../../../index.ts'
import { exitCodes, misuse } from '../terminal/cli-error.ts'
import { cutToColumns } from '../terminal/columns.ts'
import { describeTime } from '../terminal/describe-amount.ts'
import { allRuns, shortIds } from '../runs/find-run.ts'
import { type CommandResult, isDecided, isDriven, storedAnswers, summaryOf } from '../runs/run-report.ts'
import { wholeNumber } from '../setup/read-number.ts'
import { ownLog, parentIn } from '../runs/run-parent.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'

/** Runs listed where nobody says how many. */
const mostListed = 100

/** Characters of a prompt that are kept; a line of the list shows fewer. */
const promptCharacters = 200

/** `runs`: the newest stored runs; one that cannot be read is named and hides no other. */
export async function listRuns(session: Session): Promise<CommandResult> {
  const { store, options, print, io } = session
  const { agent, subject } = options
  const status = statusOf(options.status)
  const limit = wholeNumber('limit', options.limit) ?? mostListed
  const all = await allRuns(store)
  const wanted = { ...(agent === undefined ? {} : { agent }), ...(subject === undefined ? {} : { subject }) }
  const isNarrowed = agent !== undefined || subject !== undefined
  const asked = isNarrowed ? await store.list({ ...wanted, limit: Number.MAX_SAFE_INTEGER }) : all
  const found = asked.filter((run) => 'damaged' in run || status === undefined || run.status === status)
  const runs = found.slice(0, limit)
  const listed = await Promise.all(runs.map((run) => lookAt(store, run)))
  const note = `[${runs.length} of ${found.length} runs: these are the newest. Narrow them with --status ${statuses.join('|')}.]`
  const isCut = found.length > runs.length
  const lines = io.isTTY ? table(listed, all, session) : listed.map(plainLine)
  print(...(runs.length === 0 ? ['no runs'] : lines), ...(isCut ? [note] : []))
  return { exitCode: exitCodes.success, report: { runs: listed.map(reportOf), hasMore: isCut, total: found.length } }
}

const statuses: readonly RunStatus[] = ['running', 'waiting', 'done']

function statusOf(given: string | undefined): RunStatus | undefined {
  const status = statuses.find((each) => each === given)
  if (given === undefined || status !== undefined) return status
  throw misuse('bad_status', `Unknown status ${JSON.stringify(given)}.`, `Known: ${statuses.join(', ')}.`)
}

/** A run as a line of the list needs it. */
interface ListedRun {
  readonly run: RunRecord | DamagedRun
  /** Of a running one whether somebody drives it; undefined where that is not known or does not matter. */
  readonly isDriven: boolean | undefined
  /** True where it was sent something that lets it go on and that nobody has carried out yet. */
  readonly isAnswered: boolean
  readonly prompt: string
  /** The run whose conversation it goes on with. */
  readonly parentRunId: string | undefined
}

async function lookAt(store: Store, run: RunRecord | DamagedRun): Promise<ListedRun> {
  if ('damaged' in run) return { run, isDriven: undefined, isAnswered: false, prompt: '', parentRunId: undefined }
  const [driven, answers, beginning] = await Promise.all([
    isDriven(store, run),
    run.status === 'done' ? [] : storedAnswers(store, run.id),
    beginningOf(store, run.id),
  ])
  return { run, isDriven: driven, isAnswered: isDecided(answers), ...beginning }
}

/** The first words a run was started with, read from its first checkpoint; empty where they cannot be read. */
async function beginningOf(store: Store, runId: string): Promise<Pick<ListedRun, 'prompt' | 'parentRunId'>> {
  try {
    const [first] = await store.checkpoints(runId)
    const { log, input } = first === undefined ? await store.read(runId) : await store.checkpoint(runId, first.version)
    const logged = ownLog(log, input).flatMap((entry) => (entry.kind === 'message' ? [entry.message] : []))
    const message = [...logged, ...messagesIn(input)].find(({ role }) => role === 'user')
    const prompt = message === undefined ? '' : oneLine(textOf(message), promptCharacters)
    return { prompt, parentRunId: parentIn(input)?.parentRunId }
  } catch {
    return { prompt: '', parentRunId: undefined }
  }
}

/** What a run that has not begun is to begin with. */
function messagesIn(input: unknown): readonly Message[] {
  if (typeof input !== 'object' || input === null || !('messages' in input)) return []
  return Array.isArray(input.messages) ? input.messages : []
}

function reportOf({ run, isDriven: driven, prompt, parentRunId }: ListedRun): object {
  if ('damaged' in run) return run
  return {
    ...summaryOf(run),
    ...(parentRunId === undefined ? {} : { parentRunId }),
    ...(driven === undefined ? {} : { isDriven: driven }),
    prompt,
  }
}

/** The prompt, and before it the run it was said to. */
function describePrompt({ prompt, parentRunId }: ListedRun, nameOf: (runId: string) => string): string {
  return parentRunId === undefined ? prompt : `(after ${nameOf(parentRunId)}) ${prompt}`.trimEnd()
}

/** `stopped` is a run that is running as far as the store knows, and that nobody drives. */
function stateOf({ run, isDriven: driven, isAnswered }: ListedRun, isShort: boolean): string {
  if ('damaged' in run) return 'damaged'
  if (run.status === 'done') {
    return isShort && run.doneReason === 'natural_end' ? 'done' : `done (${run.doneReason ?? '?'})`
  }
  const state = run.status === 'running' && driven === false ? 'stopped' : run.status
  return isAnswered ? `${state}, answered` : state
}

/** Whole ids and times, for whoever reads the list by program. */
function plainLine(listed: ListedRun): string {
  const { run } = listed
  if ('damaged' in run) return `${oneLine(run.id)}  damaged  ${oneLine(run.damaged, 500)}`
  const state = stateOf(listed, false).padEnd(20)
  const prompt = describePrompt(listed, (runId) => oneLine(runId))
  return `${oneLine(run.id)}  ${state}  ${new Date(run.updatedAt).toISOString()}  ${oneLine(run.agent)}  ${prompt}`.trimEnd()
}

type Row = readonly [id: string, age: string, state: string, agent: string, prompt: string]

/** Columns as wide as what stands in them; what has no room is left out from the right. */
function table(
  listed: readonly ListedRun[],
  all: readonly { readonly id: string }[],
  { io, paint }: Session,
): readonly string[] {
  const short = shortIds(all.map(({ id }) => id))
  const nameOf = (runId: string) => short.get(runId) ?? oneLine(runId)
  const now = io.clock.now()
  const rows = listed.map((each): Row => {
    const { run } = each
    const id = nameOf(run.id)
    if ('damaged' in run) return [id, '', 'damaged', '', oneLine(run.damaged)]
    return [
      id,
      describeTime(now - run.createdAt),
      stateOf(each, true),
      oneLine(run.agent, 20),
      describePrompt(each, nameOf),
    ]
  })
  const width = Math.max(20, io.columns || 80) - 1
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const [ids = 0, ages = 0, states = 0, agents = 0] = widths
  const left = ids + ages + states + 6
  const showsAgent = width - left - agents - 2 >= leastPrompt
  const room = width - left - (showsAgent ? agents + 2 : 0)
  return rows.map(([id, age, state, agent, prompt]) =>
    [
      paint('bold', id.padEnd(ids)),
      paint('dim', age.padStart(ages)),
      paintState(state, paint).concat(' '.repeat(states - state.length)),
      ...(showsAgent ? [agent.padEnd(agents)] : []),
      ...(room > 0 && prompt !== '' ? [cutToColumns(prompt, room)] : []),
    ]
      .join('  ')
      .trimEnd(),
  )
}

/** Columns below which the agent's name makes way for the prompt. */
const leastPrompt = 20

function paintState(state: string, paint: Session['paint']): string {
  if (state.startsWith('waiting')) return paint('yellow', state)
  if (state === 'running' || state === 'done') return paint('green', state)
  return state.startsWith('stopped') || state === 'damaged' || state.startsWith('done (error')
    ? paint('red', state)
    : state
}
