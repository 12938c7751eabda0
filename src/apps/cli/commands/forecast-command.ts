import { forecast } from '../../../testing/index.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { loadAgents } from '../setup/load-agents.ts'
import type { Session } from '../setup/session.ts'
import { counted, exitCodes, misuse } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The maximum number of run ids that are printed for one reason. */
const mostIds = 5

/**
 * `forecast --agents <module>`: prints what these agents would do with the open runs, or with `--from` what they would
 * do differently from the earlier agents. It performs and changes nothing.
 */
export async function printForecast({ agents, options, store, io, print }: Session): Promise<CommandResult> {
  if (options.agents === undefined) {
    const message = '"forecast" needs the agents of the new version.'
    throw misuse('no_agents', message, 'Name their module: --agents <file>')
  }
  const from =
    options.from === undefined ? undefined : await (await loadAgents(io, options.from, '--from')).agentsOn(store)
  const { checked, alike, groups } = await forecast(store, agents, from === undefined ? {} : { from })
  for (const agent of from ?? []) await agent.close()
  print(`${counted(checked, 'open run')}: ${alike} would continue alike`)
  for (const { outlook, reason, runIds } of groups) {
    const ids = runIds.slice(0, mostIds).map((id) => oneLine(id))
    const more = runIds.length > mostIds ? ` and ${runIds.length - mostIds} more` : ''
    print(`  ${outlook}  ${oneLine(reason, 1_000)}`, `    ${counted(runIds.length, 'run')}: ${ids.join(', ')}${more}`)
  }
  const isStuck = groups.some(({ outlook }) => outlook === 'stuck')
  const exitCode = isStuck ? exitCodes.unusable : groups.length > 0 ? exitCodes.ended : exitCodes.success
  return { exitCode, report: { checked, alike, groups } }
}
