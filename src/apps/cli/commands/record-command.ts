import { writeFile } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { UsageError } from '../../../index.ts'
import type { CommandResult } from '../runs/run-report.ts'
import { agentOptions, exportedOptions as exported } from '../setup/load-agents.ts'
import type { Session } from '../setup/session.ts'
import { CliError, exitCodes, messageOf, misuse } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** `record <id>`: writes a Vitest file that plays the run again, to `--out` or to standard output. */
export async function recordRunAsTest(session: Session, runId: string): Promise<CommandResult> {
  const { options, store, io, print } = session
  const { options: module, out } = options
  if (module === undefined) {
    const message = `"record" needs the options of the agent: --options <file>`
    throw misuse('missing_option', message, `The module exports them as "${exported}", without model and store.`)
  }
  const source = await agentOptions(io, module, '--options')
  const { recordRun, recordingFile } = await import('../../../testing/index.ts')
  const found = await recordRun(source, store, runId, { allow: options.allow }).catch((error) => {
    if (!(error instanceof UsageError)) throw error
    throw new CliError(exitCodes.unusable, error.code, error.message, ['Allow fields with: --allow <field>,<field>'])
  })
  const folder = out === undefined ? io.cwd : dirname(resolve(io.cwd, out))
  const path = relative(folder, resolve(io.cwd, module)).replaceAll(sep, '/')
  const text = recordingFile(found.recording, { module: path.startsWith('.') ? path : `./${path}`, exported })
  if (out === undefined && !options.json) io.stdout.write(text)
  if (out !== undefined) await writeNew(resolve(io.cwd, out), text)
  const hidden = found.hidden.length === 0 ? 'Nothing is hidden.' : `Hidden: ${found.hidden.join(', ')}.`
  print(out === undefined ? hidden : `${out} is written. ${hidden}`)
  return { exitCode: exitCodes.success, report: { ...found, ...(out === undefined ? { text } : { out }) } }
}

async function writeNew(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' }).catch((error: unknown) => {
    const message = `The test cannot be written to ${oneLine(JSON.stringify(path), 500)}: ${oneLine(messageOf(error), 300)}`
    throw new CliError(exitCodes.misuse, 'bad_out', message, ['Name a file that is not there yet: --out <file>'])
  })
}
