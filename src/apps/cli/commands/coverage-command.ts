import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { AgentSource } from '../../../testing/index.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { agentOptions } from '../setup/load-agents.ts'
import type { Session } from '../setup/session.ts'
import { CliError, counted, exitCodes, messageOf, misuse } from '../terminal/cli-error.ts'
import { recordedTest, writeNew } from './record-command.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The maximum number of untested transitions that are printed for people. */
const mostShown = 20

/** `coverage`: counts the transitions that stored runs took, and names those that no generated test takes. */
export async function coverStored(session: Session): Promise<CommandResult> {
  const { options, store, io, print } = session
  const { options: module = '' } = options
  const source = await agentOptions(io, module)
  const limit = options.limit
  const { coverage } = await import('../../../testing/index.ts')
  const found = await coverage(source, store, limit === undefined ? {} : { limit })
  const walked = found.transitions.filter(({ runs }) => runs > 0)
  const untested = walked.filter(({ isTested }) => !isTested)
  const { runs, transitions, left } = found
  print(
    `Of ${transitions.length} transitions, ${walked.length} were taken by ${runs} runs, ${transitions.length - walked.length} by none.`,
    `${untested.length} were taken and are on no path of describePaths${untested.length === 0 ? '.' : '; record writes a test of such a run, and --out <folder> of all:'}`,
    ...untested
      .slice(0, mostShown)
      .map(({ chart, words, runId = '' }) => `  ${chart} ${oneLine(words)}: statewright record ${oneLine(runId)}`),
    ...(untested.length > mostShown ? [`  and ${untested.length - mostShown} more: --json prints all`] : []),
    ...(left.length === 0 ? [] : [`${left.length} runs could not be stepped: ${oneLine(left[0]?.message ?? '')}`]),
    'Not counted, because logs do not contain them: restarts after crashes, and events during a call.',
  )
  if (options.out === undefined) return { exitCode: exitCodes.success, report: { ...found } }
  const runIds = [...new Set(untested.flatMap(({ runId = [] }) => runId))]
  const written = await writeTests(session, source, runIds, { module, folder: options.out })
  return { exitCode: exitCodes.success, report: { ...found, ...written } }
}

/** Writes a test of each run into a folder. A file that is there is left alone. */
async function writeTests(
  session: Session,
  source: AgentSource,
  runIds: readonly string[],
  { module, folder }: { readonly module: string; readonly folder: string },
) {
  const { io, print } = session
  const written: string[] = []
  const notRecorded: { readonly runId: string; readonly message: string }[] = []
  await mkdir(resolve(io.cwd, folder), { recursive: true }).catch((error: unknown) => {
    throw misuse(
      'bad_out',
      `The folder cannot be made: ${oneLine(messageOf(error), 300)}`,
      'Name another: --out <folder>',
    )
  })
  for (const runId of runIds) {
    const out = join(folder, `${runId}.test.ts`)
    try {
      await writeNew(resolve(io.cwd, out), (await recordedTest(session, source, runId, { module, out })).text)
      written.push(out)
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      notRecorded.push({ runId, message: error.message })
    }
  }
  print(`${counted(written.length, 'test')} written to ${oneLine(folder, 500)}.`)
  print(...notRecorded.map(({ runId, message }) => `  ${oneLine(runId)} is not recorded: ${oneLine(message, 500)}`))
  return { written, notRecorded }
}
