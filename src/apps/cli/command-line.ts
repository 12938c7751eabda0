import { type CliError, type ExitCode, exitCodes } from './terminal/cli-error.ts'
import type { CliIo } from './terminal/cli-io.ts'
import { helpText, packageVersion } from './setup/help-text.ts'
import { parseCommand, type ParsedCommand } from './setup/parse-command.ts'
import type { CommandResult } from './runs/run-report.ts'
import { oneLine, plainText, safeJson } from './terminal/safe-text.ts'

/**
 * Performs the command line in `argv` (without program and script) and resolves with the exit code. Never throws, and
 * never ends the process.
 */
export async function main(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  let command: ParsedCommand | undefined
  try {
    command = parseCommand(argv, io.isTTY)
    const { exitCode, report } = await perform(command, command.options.json ? forProgram(io) : io)
    if (command.options.json) printJson(io, { command: command.name, exitCode, ...report })
    return exitCode
  } catch (error) {
    const { toCliError } = await import('./terminal/to-cli-error.ts')
    const failure = toCliError(error)
    const isDebugging = command?.options.debug ?? argv.includes('--debug')
    reportFailure(io, failure, isDebugging ? error : undefined)
    const { exitCode, code, message, hints } = failure
    const wantsJson = command?.options.json ?? argv.includes('--json')
    if (wantsJson) printJson(io, { command: command?.name ?? null, exitCode, error: { code, message, hints } })
    return exitCode
  }
}

/** Redirects text to standard error, so that standard output is only JSON for a program. */
function forProgram(io: CliIo): CliIo {
  return { ...io, stdout: io.stderr, results: io.stdout }
}

/** Performs a command. Help and version do not load the engine. */
async function perform(command: ParsedCommand, io: CliIo): Promise<CommandResult> {
  const { name, given } = command
  if (name === 'help') return printed(io, helpText(given['command'], io.columns), {})
  if (name === 'version') {
    const version = await packageVersion()
    return printed(io, version, { version })
  }
  const { performCommand } = await import('./perform-command.ts')
  return await performCommand({ ...command, name }, io)
}

function printed({ stdout }: CliIo, text: string, report: object): CommandResult {
  stdout.write(`${text}\n`)
  return { exitCode: exitCodes.success, report }
}

function reportFailure({ stderr }: CliIo, failure: CliError, cause: unknown): void {
  stderr.write(`statewright: ${oneLine(failure.message, 1_000)}\n`)
  for (const hint of failure.hints) stderr.write(`  ${oneLine(hint, 1_000)}\n`)
  if (cause instanceof Error && cause.stack !== undefined) stderr.write(`${plainText(cause.stack)}\n`)
}

function printJson({ stdout }: CliIo, value: object): void {
  stdout.write(`${safeJson(value)}\n`)
}
