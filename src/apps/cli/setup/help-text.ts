import { packageManifest } from './package-manifest.ts'
import { commandNames, commandRow, isCommandName, usageOf } from './command-table.ts'
import { misuse } from '../terminal/cli-error.ts'
import { flow, plain as paint } from '../terminal/flowing-text.ts'
import { optionNames, optionText, optionUsage } from './option-table.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The widest lines of the help. */
const widest = 100

/** Returns the text of `statewright help` in this many columns; throws for an unknown command. */
export function helpText(command?: string, columns = widest): string {
  const width = Math.min(Math.max(columns - 1, 60), widest)
  return command === undefined ? wholeHelp(width) : helpOf(command, width)
}

function wholeHelp(width: number): string {
  const rows = commandNames.map(
    (name) => [usageOf(name).replace('statewright ', ''), commandRow(name).summary] as const,
  )
  return [
    'statewright: agent runs that can stop anywhere and continue in any process.',
    '',
    'Usage: statewright <command>',
    ...inColumns(rows, width),
    '',
    flow(idNote, { width, paint }),
    'Options of a command: statewright help <command>',
    '',
    'Exit codes',
    ...inColumns(exitCodeNotes, width),
  ].join('\n')
}

function helpOf(word: string, width: number): string {
  if (!isCommandName(word)) {
    const wish = `Known: ${commandNames.join(', ')}.`
    throw misuse('unknown_command', `Unknown command ${JSON.stringify(oneLine(word))}.`, wish)
  }
  const { summary, options } = commandRow(word)
  const own = optionNames.filter((name) => options.includes(name))
  const rows = own.map((name) => [optionUsage(name), optionText(name)] as const)
  return [
    `Usage: ${usageOf(word)}`,
    flow(summary, { width, margin: '  ', paint }),
    '',
    'Options',
    ...inColumns(rows, width),
  ].join('\n')
}

/** Aligns two columns; the second begins after the widest first entry and is wrapped. */
function inColumns(rows: readonly (readonly [string, string])[], width: number): readonly string[] {
  const first = Math.max(...rows.map(([text]) => text.length))
  return rows.flatMap(([name, text]) =>
    flow(text, { width: width - first - 4, paint })
      .split('\n')
      .map((line, index) => `  ${(index === 0 ? name : '').padEnd(first)}  ${line}`),
  )
}

/** The ways to name a run. */
export const idNote =
  'An <id> may be shortened while it stays unique; "last" is the newest run. No process drives a stopped run: resume it.'

/** The exit codes with their meanings. */
export const exitCodeNotes: readonly (readonly [string, string])[] = [
  ['0', 'done: the run ended naturally or was cancelled as asked; the answer or message was stored'],
  [
    '1',
    'the run ended in an error, or was stopped or cancelled; diff or forecast found a difference; prove, a broken policy',
  ],
  ['2', 'the command line is wrong'],
  ['3', 'the run waits for an answer or for its model; or chat has no terminal'],
  ['4', 'the store or the run cannot be used'],
  ['130', 'Ctrl-C while the run was driven; the run is stored'],
]

/** Returns the version in the package's own package.json, found from the source and from the build. */
export async function packageVersion(): Promise<string> {
  const { version } = await packageManifest()
  return typeof version === 'string' ? version : 'unknown'
}
