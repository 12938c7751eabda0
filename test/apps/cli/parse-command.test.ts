import { expect, test } from 'vitest'
import { CliError } from '../../../src/apps/cli/terminal/cli-error.ts'
import { commandNames, commandRow, usageOf } from '../../../src/apps/cli/setup/command-table.ts'
import { helpText } from '../../../src/apps/cli/setup/help-text.ts'
import { optionNames, optionTypes } from '../../../src/apps/cli/setup/option-table.ts'
import { parseCommand } from '../../../src/apps/cli/setup/parse-command.ts'

const none = {
  store: undefined,
  root: undefined,
  model: undefined,
  files: [],
  programs: [],
  allow: [],
  status: undefined,
  reason: undefined,
  input: undefined,
  retry: false,
  full: false,
  runs: false,
  overview: false,
  drive: true,
  trust: false,
  yes: false,
  json: false,
  debug: false,
}

test.each([
  ['run hello', { name: 'run', given: { prompt: 'hello' } }],
  ['runs', { name: 'runs', given: {} }],
  ['show r-1', { name: 'show', given: { id: 'r-1' } }],
  ['approve r-1', { name: 'approve', given: { id: 'r-1' } }],
  ['approve r-1 c-1', { name: 'approve', given: { id: 'r-1', call: 'c-1' } }],
  ['respond r-1 done', { name: 'respond', given: { id: 'r-1', value: 'done' } }],
  ['respond r-1 c-1 done', { name: 'respond', given: { id: 'r-1', call: 'c-1', value: 'done' } }],
  ['respond r-1 -- -5', { name: 'respond', given: { id: 'r-1', value: '-5' } }],
  ['prompt r-1 more', { name: 'prompt', given: { id: 'r-1', prompt: 'more' } }],
  ['help', { name: 'help', given: {} }],
  ['--help', { name: 'help', given: {} }],
  ['approve --help', { name: 'help', given: { command: 'approve' } }],
  ['help approve', { name: 'help', given: { command: 'approve' } }],
  ['--version', { name: 'version', given: {} }],
])('CLI-01 reads "%s"', (line, expected) => {
  expect(parseCommand(line.split(' '))).toEqual({ ...expected, options: none })
})

test('CLI-01 reads files to send, several of them', () => {
  const { options } = parseCommand(['run', 'hello', '--file', 'a.pdf', '--file', 'b.png'])
  expect(options).toEqual({ ...none, files: ['a.pdf', 'b.png'] })
})

test('CLI-01 reads options in any position', () => {
  const line = '--store a.db approve r-1 --reason fine --no-drive --json --retry --debug --root /w --model m'
  expect(parseCommand(line.split(' ')).options).toEqual({
    ...none,
    store: 'a.db',
    root: '/w',
    model: 'm',
    reason: 'fine',
    retry: true,
    drive: false,
    json: true,
    debug: true,
  })
})

test.each([
  ['', 'No command given.', 'Known: run, chat, runs, sessions, show'],
  ['fly', 'Unknown command "fly".', 'Known: run, chat, runs, sessions, show'],
  ['__proto__', 'Unknown command "__proto__".', 'Known: run, chat, runs, sessions, show'],
  ['run', '"run" needs <prompt>.', 'Usage: statewright run <prompt>'],
  ['run fix the bug', '"run" does not take "the".', 'Put the prompt in quotes.'],
  ['prompt', '"prompt" needs <id>.', 'Usage: statewright prompt <id> <prompt>'],
  ['prompt last fix the bug', '"prompt" does not take "the".', 'Put the prompt in quotes.'],
  [
    'prompt last more --no-drive',
    'Option --no-drive does not belong to "prompt".',
    'Options of prompt: --store, --agents, --root',
  ],
  ['show', '"show" needs <id>.', 'Usage: statewright show <id>'],
  ['show a b', '"show" does not take "b".', 'Usage: statewright show <id>'],
  ['respond r-1', '"respond" needs <value>.', 'Usage: statewright respond <id> [call] <value>'],
  ['respond r-1 c-1 v more', '"respond" does not take "more".', 'Usage: statewright respond'],
  ['runs --fast', "Unknown option '--fast'.", 'See: statewright help'],
  ['runs --retry', 'Option --retry does not belong to "runs".', 'Options of runs: --store, --agents, --root'],
  ['runs --status', "Option '--status <value>' argument missing.", 'See: statewright help'],
  ['runs --json=yes', "Option '--json' does not take an argument.", 'See: statewright help'],
  [
    'runs --limit -1',
    "Option '--limit' argument is ambiguous.\nDid you forget to specify the option argument for '--limit'?\nTo specify an option argument starting with a dash use '--limit=-XYZ'.",
    'See: statewright help',
  ],
  ['runs --limit abc', '--limit is "abc".', 'Expected a whole number, 1 or more.'],
  ['worker --concurrency 0', '--concurrency is "0".', 'Expected a whole number, 1 or more.'],
  ['studio --port 65536', '--port is "65536".', 'Expected a whole number, 0 to 65535.'],
  ['runs --status asleep', 'Unknown status "asleep".', 'Known: running, waiting, done.'],
  ['approve r-1 --always', "Unknown option '--always'.", 'See: statewright help'],
  ['approve r-1 --rum', "Unknown option '--rum'.", 'See: statewright help'],
])('CLI-01 refuses "%s" and says what was expected', (line, message, hint) => {
  const argv = line === '' ? [] : line.split(' ')
  const error = refusal(() => parseCommand(argv))
  expect(error).toMatchObject({ exitCode: 2, message })
  expect(error.hints.join('\n')).toContain(hint)
})

test('CLI-01 names every command and exit code in the help, within the width of the terminal and on two screens', () => {
  const help = helpText(undefined, 80)
  for (const name of commandNames) expect(help).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
  expect(help).toContain('  130  Ctrl-C')
  const lines = [help, ...commandNames.map((name) => helpText(name, 80))].join('\n').split('\n')
  expect(lines.filter((line) => line.length > 79)).toEqual([])
  expect(help.split('\n').length).toBeLessThan(80)
})

test.each(commandNames)('CLI-01 the help of "%s" shows only that command, with its options', (name) => {
  const { options } = commandRow(name)
  const text = helpText(name)
  expect(text).toContain(`Usage: ${usageOf(name)}\n`)
  expect(
    text
      .split('\nOptions\n')[1]
      ?.match(/^ {2}--[\w-]+/gm)
      ?.map((option) => option.trim().slice(2))
      .toSorted(),
  ).toEqual(options.toSorted())
})

test.each(commandNames)('CLI-01 refuses each option that does not belong to "%s"', (name) => {
  const { options, takes } = commandRow(name)
  const given = takes.map(() => 'x')
  for (const option of optionNames) {
    if (options.some((own) => own === option) || option === 'help' || option === 'version') continue
    const value = optionTypes[option].type === 'string' ? ['x'] : []
    const error = refusal(() => parseCommand([name, ...given, `--${option}`, ...value]))
    expect(error).toMatchObject({ exitCode: 2, message: `Option --${option} does not belong to "${name}".` })
  }
})

function refusal(parse: () => unknown): CliError {
  try {
    parse()
  } catch (error) {
    if (error instanceof CliError) return error
    throw error
  }
  throw new Error('Not refused.')
}

test('CLI-01 starts the chat without a command on a terminal, and requires a command elsewhere', () => {
  expect(parseCommand([], true)).toMatchObject({ name: 'chat', given: {} })
  expect(parseCommand(['--continue'], true)).toMatchObject({ name: 'chat', options: { session: 'last' } })
  expect(parseCommand(['--help'], true)).toMatchObject({ name: 'help' })
  expect(() => parseCommand([])).toThrow('No command given.')
  expect(() => parseCommand(['chat', '--continue', '--session', 'a'])).toThrow('name two conversations')
})
