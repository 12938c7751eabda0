import type { CommandResult } from '../runs/run-report.ts'
import { agentOptions } from '../setup/load-agents.ts'
import { wholeNumber } from '../setup/read-number.ts'
import type { Session } from '../setup/session.ts'
import { exitCodes, misuse } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The maximum number of untested transitions that are printed for people. */
const mostShown = 20

/** `coverage`: counts the transitions that stored runs walk, and names those that no generated test takes. */
export async function coverStored({ options, store, io, print }: Session): Promise<CommandResult> {
  if (options.options === undefined) {
    const message = '"coverage" needs the options of the agent: --options <file>'
    throw misuse('missing_option', message, 'The module exports them as "options", without model and store.')
  }
  const source = await agentOptions(io, options.options, '--options')
  const limit = wholeNumber('limit', options.limit)
  const { coverage } = await import('../../../testing/index.ts')
  const found = await coverage(source, store, limit === undefined ? {} : { limit })
  const walked = found.transitions.filter(({ runs }) => runs > 0)
  const untested = walked.filter(({ isTested }) => !isTested)
  const { runs, transitions, left } = found
  print(
    `Of ${transitions.length} transitions, ${walked.length} are walked by ${runs} runs, ${transitions.length - walked.length} by none.`,
    `${untested.length} are walked and on no path of describePaths${untested.length === 0 ? '.' : '; record writes a test of such a run:'}`,
    ...untested
      .slice(0, mostShown)
      .map(({ chart, words, runId = '' }) => `  ${chart} ${oneLine(words)}: statewright record ${oneLine(runId)}`),
    ...(untested.length > mostShown ? [`  and ${untested.length - mostShown} more: --json prints all`] : []),
    ...(left.length === 0 ? [] : [`${left.length} runs could not be stepped: ${oneLine(left[0]?.message ?? '')}`]),
    'Not counted is what a log cannot tell: restarts after crashes, and what came during a call.',
  )
  return { exitCode: exitCodes.success, report: { ...found } }
}
