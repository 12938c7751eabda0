import type { CommandResult } from '../runs/run-report.ts'
import { agentOptions } from '../setup/load-agents.ts'
import type { Session } from '../setup/session.ts'
import { exitCodes } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The maximum number of differing runs that are printed for people. */
const mostShown = 20

/** `diff`: steps the stored runs through the agent of `--options`, and prints where it would act differently. */
export async function diffStored({ options, store, io, print }: Session): Promise<CommandResult> {
  const source = await agentOptions(io, options.options)
  const from = options.from === undefined ? {} : { from: await agentOptions(io, options.from, '--from') }
  const limit = options.limit
  const { diffRuns } = await import('../../../testing/index.ts')
  const diff = await diffRuns(source, store, { ...from, ...(limit === undefined ? {} : { limit }) })
  const { runs, asks, asksNoLonger, ends, found, left } = diff
  const lines = found.flatMap(({ runId, differences }) => differences.map(({ text }) => `${runId}: ${text}`))
  print(
    `Of ${runs} runs, ${asks.length} would now ask, ${asksNoLonger.length} would no longer ask, and calls of ${ends.length} would end differently.`,
    ...lines.slice(0, mostShown).map((line) => `  ${oneLine(line)}`),
    ...(lines.length > mostShown ? [`  and ${lines.length - mostShown} more: --json prints all`] : []),
    ...(left.length === 0 ? [] : [`${left.length} runs could not be stepped: ${oneLine(left[0]?.message ?? '')}`]),
  )
  return { exitCode: found.length === 0 ? exitCodes.success : exitCodes.ended, report: { ...diff } }
}
