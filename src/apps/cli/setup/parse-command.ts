import { misuse } from '../terminal/cli-error.ts'
import { type CommandName, commandNames, commandRow, isCommandName, usageOf } from './command-table.ts'
import { type Options, readArguments, readOptions } from './options.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** A parsed command line. */
export interface ParsedCommand {
  readonly name: CommandName | 'version'
  /** Arguments by name, without those that were left out. */
  readonly given: Readonly<Record<string, string>>
  readonly options: Options
}

/**
 * Parses a command line; throws a `CliError` that names the problem and the expectation. Without a command it is `chat`
 * at a terminal.
 */
export function parseCommand(argv: readonly string[], isTerminal = false): ParsedCommand {
  const { values, positionals, tokens } = readArguments(argv)
  const [word = isTerminal && !values.help ? 'chat' : undefined, ...rest] = positionals
  const options = () => readOptions(values)
  if (values.help) return { name: 'help', given: word === undefined ? {} : { command: word }, options: options() }
  if (values.version) return { name: 'version', given: {}, options: options() }
  if (word === undefined) throw misuse('no_command', 'No command given.', knownCommands())
  if (!isCommandName(word)) throw misuse('unknown_command', `Unknown command ${JSON.stringify(word)}.`, knownCommands())
  checkOptions(
    word,
    tokens.flatMap((token) => (token.kind === 'option' ? token.name : [])),
  )
  return { name: word, given: readPositionals(word, rest), options: options() }
}

function knownCommands(): string {
  return `Known: ${commandNames.join(', ')}.`
}

function checkOptions(name: CommandName, given: readonly string[]): void {
  const allowed: readonly string[] = commandRow(name).options
  const other = given.find((option) => !allowed.includes(option))
  if (other === undefined) return
  const known = allowed.map((option) => `--${option}`).join(', ')
  throw misuse('bad_option', `Option --${other} does not belong to "${name}".`, `Options of ${name}: ${known}.`)
}

/** Arguments that are messages to a model. */
const spokenArguments: ReadonlySet<string> = new Set(['prompt', 'text'])

/** Assigns arguments to names; if one is missing, the optional one is left out. */
function readPositionals(name: CommandName, given: readonly string[]): Readonly<Record<string, string>> {
  const { takes } = commandRow(name)
  const isShort = given.length < takes.length
  const names = takes.filter((each) => !isShort || !each.endsWith('?')).map((each) => each.replace('?', ''))
  const missing = names[given.length]
  if (missing !== undefined)
    throw misuse('missing_argument', `"${name}" needs <${missing}>.`, `Usage: ${usageOf(name)}`)
  const extra = given[names.length]
  if (extra !== undefined) {
    const last = takes.at(-1) ?? ''
    const hint = spokenArguments.has(last) ? `Put the ${last} in quotes.` : `Usage: ${usageOf(name)}`
    throw misuse('too_many_arguments', `"${name}" does not take ${JSON.stringify(extra)}.`, hint)
  }
  const empty = names.find((each, index) => spokenArguments.has(each) && given[index]?.trim() === '')
  if (empty !== undefined) throw misuse(`empty_${empty}`, `The ${empty} is empty.`, `Usage: ${usageOf(name)}`)
  return Object.fromEntries(names.map((each, index) => [each, given[index] ?? '']))
}

/** Returns the given id of a run; throws for an invalid id, so that no path reaches a store. */
export function runIdOf(given: string | undefined): string {
  if (given !== undefined && /^[A-Za-z0-9_.-]{1,128}$/.test(given)) return given
  throw misuse(
    'bad_run_id',
    `${JSON.stringify(oneLine(given ?? '', 100))} cannot be the id of a run.`,
    'Expected 1 to 128 letters, digits, "_", "." and "-". List the runs with: statewright runs',
  )
}
