import { writeFile } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { UsageError } from '../../../index.ts'
import type { CommandResult } from '../runs/run-report.ts'
import type { AgentSource, RunRecording } from '../../../testing/index.ts'
import { agentOptions, exportedOptions as exported } from '../setup/load-agents.ts'
import type { Session } from '../setup/session.ts'
import type { CliIo } from '../terminal/cli-io.ts'
import { CliError, exitCodes, messageOf } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** `record <id>`: writes a Vitest file that plays the run again, to `--out` or to standard output. */
export async function recordRunAsTest(session: Session, runId: string): Promise<CommandResult> {
  const { options, io, print } = session
  const { options: module = '', out } = options
  const source = await agentOptions(io, module)
  const { text, ...found } = await recordedTest(session, source, runId, { module, out })
  if (out === undefined && !options.json) io.stdout.write(text)
  if (out !== undefined) await writeNew(resolve(io.cwd, out), text)
  const hidden = found.hidden.length === 0 ? 'Nothing is hidden.' : `Hidden: ${found.hidden.join(', ')}.`
  print(out === undefined ? hidden : `${out} is written. ${hidden}`)
  return { exitCode: exitCodes.success, report: { ...found, ...(out === undefined ? { text } : { out }) } }
}

/** Returns the test of a stored run for the file `out`. Rejects with a `CliError` for a run that cannot be recorded. */
export async function recordedTest(
  { options: { allow }, store, io }: Session,
  source: AgentSource,
  runId: string,
  { module, out }: { readonly module: string; readonly out: string | undefined },
): Promise<RunRecording & { readonly text: string }> {
  const { recordRun, recordingFile } = await import('../../../testing/index.ts')
  const found = await recordRun(source, store, runId, { allow }).catch((error) => {
    if (!(error instanceof UsageError)) throw error
    throw new CliError(exitCodes.unusable, error.code, error.message, ['Allow fields with: --allow <field>,<field>'])
  })
  return { ...found, text: recordingFile(found.recording, { module: modulePath(io, module, out), exported }) }
}

/** Returns the specifier by which a file at `out` imports a module; `out` is by default in the working folder. */
export function modulePath({ cwd }: Pick<CliIo, 'cwd'>, module: string, out: string | undefined): string {
  const folder = out === undefined ? cwd : dirname(resolve(cwd, out))
  const path = relative(folder, resolve(cwd, module)).replaceAll(sep, '/')
  return path.startsWith('.') ? path : `./${path}`
}

/** Writes a new file. */
export async function writeNew(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' }).catch((error: unknown) => {
    const message = `The test cannot be written to ${oneLine(JSON.stringify(path), 500)}: ${oneLine(messageOf(error), 300)}`
    throw new CliError(exitCodes.misuse, 'bad_out', message, ['Name a file that is not there yet: --out <file>'])
  })
}
