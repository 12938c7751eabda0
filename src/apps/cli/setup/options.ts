import { parseArgs } from 'node:util'
import { knownWord, misuse } from '../terminal/cli-error.ts'
import type { RunStatus } from '../../../ports.ts'
import { lastWord, optionTypes } from './option-table.ts'
import { wholeNumber } from './read-number.ts'

type Values = ReturnType<typeof readArguments>['values']

/** The given options; a command reads those that its row of the table allows. Texts are undefined if they are missing. */
export type Options = {
  readonly [
    Name in keyof Omit<Values, 'help' | 'version' | 'no-drive' | 'file' | 'mcp' | 'allow' | 'continue' | Checked>
  ]: Values[Name] extends boolean ? boolean : string | undefined
} & {
  readonly limit: number | undefined
  readonly concurrency: number | undefined
  readonly port: number | undefined
  readonly status: RunStatus | undefined
  /** For `run` and `prompt`: what is sent with the prompt. */
  readonly files: readonly string[]
  /** For `acp`: the editor's MCP servers that may be started. */
  readonly programs: readonly string[]
  readonly drive: boolean
  /** For `record`: the fields that may be shown. */
  readonly allow: readonly string[]
}

type Checked = 'limit' | 'concurrency' | 'port' | 'status'

/** The statuses that `runs` filters by. */
export const statuses: readonly RunStatus[] = ['running', 'waiting', 'done']

/** Returns the words of a command line; throws a `CliError` for an option that is unknown or lacks its value. */
export function readArguments(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: optionTypes, allowPositionals: true, strict: true, tokens: true })
  } catch (error) {
    const [message = 'The options cannot be read'] = error instanceof Error ? error.message.split('. ') : []
    throw misuse('bad_option', `${message.replace(/\.$/, '')}.`, 'See: statewright help')
  }
}

/** Returns the options of a command line; throws a `CliError` for a value that no command accepts. */
export function readOptions({
  help: _,
  version: __,
  file: files = [],
  mcp: programs = [],
  'no-drive': isLeft,
  continue: continues,
  ...values
}: Values): Options {
  const allow = (values.allow ?? '').split(',').flatMap((field) => field.trim() || [])
  if (continues && values.session !== undefined)
    throw misuse('bad_option', '--continue and --session name two conversations.', 'Leave one of them out.')
  const session = continues ? lastWord : values.session
  return {
    ...{ ...values, session, files, programs, drive: !isLeft, allow },
    limit: wholeNumber('limit', values.limit),
    concurrency: wholeNumber('concurrency', values.concurrency),
    port: wholeNumber('port', values.port, [0, 65_535]),
    status: values.status === undefined ? undefined : knownWord('status', values.status, statuses),
  }
}
