import { parseArgs } from 'node:util'
import { misuse } from '../terminal/cli-error.ts'
import { optionTypes } from './option-table.ts'

type Values = ReturnType<typeof readArguments>['values']

/** The given options; a command reads those that its row of the table allows. Texts are undefined if they are missing. */
export type Options = {
  readonly [
    Name in keyof Omit<Values, 'help' | 'version' | 'no-drive' | 'file' | 'allow'>
  ]: Values[Name] extends boolean ? boolean : string | undefined
} & {
  /** For `run` and `prompt`: what is sent with the prompt. */
  readonly files: readonly string[]
  readonly drive: boolean
  /** For `record`: the fields that may be shown. */
  readonly allow: readonly string[]
}

/** Returns the words of a command line; throws a `CliError` for an option that is unknown or lacks its value. */
export function readArguments(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: optionTypes, allowPositionals: true, strict: true, tokens: true })
  } catch (error) {
    const [message = 'The options cannot be read'] = error instanceof Error ? error.message.split('. ') : []
    throw misuse('bad_option', `${message.replace(/\.$/, '')}.`, 'See: statewright help')
  }
}

/** Returns the options of a command line. */
export function readOptions({
  help: _,
  version: __,
  file: files = [],
  'no-drive': isLeft,
  ...values
}: Values): Options {
  const allow = (values.allow ?? '').split(',').flatMap((field) => field.trim() || [])
  return { ...values, files, drive: !isLeft, allow }
}
