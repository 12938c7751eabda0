import { type CliError, exitCodes, messageOf, unusable } from '../terminal/cli-error.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { agentOptions } from '../setup/load-agents.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'

/** `studio`: serves the page of the studio until Ctrl-C. */
export async function serveStudio(session: Session): Promise<CommandResult> {
  const { store, agents, io, options, print } = session
  const { port } = options
  const { studio } = await import('../../../servers/studio/index.ts')
  const tested = options.options === undefined ? {} : { tested: await agentOptions(io, options.options) }
  const page = await studio({ store, agents, ...tested, ...(port === undefined ? {} : { port }) }).catch(
    (error: unknown) => {
      throw notServed(error, port)
    },
  )
  const names = agents.map(({ name }) => oneLine(name, 60)).join(', ')
  print(
    `studio  ${page.address}`,
    names === ''
      ? 'Answers are stored, and the process that drives a run carries them out. To drive runs here, add --agents <module>.'
      : `Drives the runs of: ${names}`,
    'The address contains the token: anyone who has it can read and decide. Ctrl-C ends the studio.',
  )
  await interrupted(io.signal)
  await page.close()
  return { exitCode: exitCodes.success, report: { url: page.url, agents: agents.map(({ name }) => name) } }
}

/** Returns an expected error for a studio that cannot start, such as a missing page, instead of a defect. */
function notServed(error: unknown, port: number | undefined): CliError {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  if (!isTaken) return unusable('no_studio', messageOf(error))
  const wish = 'Name another one, or leave --port out for a free one.'
  return unusable('port_taken', `Another program listens on port ${port}.`, wish)
}

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((end) => {
    if (signal.aborted) end()
    else signal.addEventListener('abort', () => end(), { once: true })
  })
}
