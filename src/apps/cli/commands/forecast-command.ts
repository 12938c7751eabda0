import { forecast } from '../../../testing/index.ts'
import type { CommandResult } from '../runs/run-report.ts'
import type { Session } from '../setup/session.ts'
import { counted, exitCodes, misuse } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The maximum number of run ids that are printed for one reason. */
const mostIds = 5

/** `forecast --agents <module>`: prints what these agents would do with the open runs. It performs and changes nothing. */
export async function printForecast({ agents, options, store, print }: Session): Promise<CommandResult> {
  if (options.agents === undefined) {
    const message = '"forecast" needs the agents of the new version.'
    throw misuse('no_agents', message, 'Name their module: --agents <file>')
  }
  const { checked, alike, groups } = await forecast(store, agents)
  print(`${counted(checked, 'open run')}: ${alike} would go on alike`)
  for (const { outlook, reason, runIds } of groups) {
    const ids = runIds.slice(0, mostIds).map((id) => oneLine(id))
    const more = runIds.length > mostIds ? ` and ${runIds.length - mostIds} more` : ''
    print(`  ${outlook}  ${oneLine(reason, 1_000)}`, `    ${counted(runIds.length, 'run')}: ${ids.join(', ')}${more}`)
  }
  const isStuck = groups.some(({ outlook }) => outlook === 'stuck')
  const exitCode = isStuck ? exitCodes.unusable : groups.length > 0 ? exitCodes.ended : exitCodes.success
  return { exitCode, report: { checked, alike, groups } }
}
