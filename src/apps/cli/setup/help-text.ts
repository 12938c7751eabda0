import { packageManifest } from './package-manifest.ts'
import { commandNames, commandRow, isCommandName, usageOf } from './command-table.ts'
import { misuse } from '../terminal/cli-error.ts'
import { flow } from '../terminal/flowing-text.ts'
import { type OptionName, optionNames, optionText, optionUsage } from './option-table.ts'
import { oneLine } from '../terminal/safe-text.ts'

const width = 120

/** Returns the text of `statewright help`; throws for an unknown command. */
export function helpText(command?: string): string {
  return command === undefined ? wholeHelp() : helpOf(command)
}

function wholeHelp(): string {
  const rows = commandNames.map(
    (name) => [usageOf(name).replace('statewright ', ''), commandRow(name).summary] as const,
  )
  return [
    'statewright: agent runs that stop anywhere and go on later, in any process.',
    '',
    'Usage: statewright <command>',
    ...inColumns(rows),
    '',
    'Options; statewright help <command> names those of a command',
    ...optionLines(optionNames),
    '',
    ...notes,
  ].join('\n')
}

function helpOf(word: string): string {
  if (!isCommandName(word)) {
    const wish = `Known: ${commandNames.join(', ')}.`
    throw misuse('unknown_command', `Unknown command ${JSON.stringify(oneLine(word))}.`, wish)
  }
  const { summary, options } = commandRow(word)
  const own = optionNames.filter((name) => options.includes(name))
  return [`Usage: ${usageOf(word)}`, `  ${summary}`, '', 'Options', ...optionLines(own)].join('\n')
}

function optionLines(names: readonly OptionName[]): readonly string[] {
  return inColumns(names.map((name) => [optionUsage(name), optionText(name)] as const))
}

/** Aligns two columns; the second begins after the widest first entry and is wrapped. */
function inColumns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const first = Math.max(...rows.map(([text]) => text.length))
  const paint = (_: string, text: string) => text
  return rows.flatMap(([name, text]) =>
    flow(text, { width: width - first - 4, paint })
      .split('\n')
      .map((line, index) => `  ${(index === 0 ? name : '').padEnd(first)}  ${line}`),
  )
}

/** Notes on all commands: ids, JSON output and exit codes. */
export const notes: readonly string[] = [
  'An approval is for one call only. The call may be left out if exactly one is suspended.',
  'The value of respond is a text; it is JSON where the schema of the call asks for another type.',
  '',
  'An id may be cut short where no other run begins like it, and "last" is the newest run. A run is stopped where the',
  '  store says running and nobody drives it: resume it.',
  '',
  'JSON keys: command, exitCode; then error {code, message, hints}, or what the command is about:',
  '  run {id, agent, status, reason, code, error, createdAt, updatedAt, forkedFrom, parentRunId, root, model,',
  '  isDriven}, text, warning, usage {input, output, cacheRead, cacheWrite, totalTokens},',
  '  suspended [{callId, toolName, arguments, target {path, replaces}, reason, message, mayHaveRun,',
  '  answers {approve, deny, respond, full}}], stored [{action, callId, at}], receipts [{target, answer, message}],',
  '  output, rejection {filter, reason}, undelivered [text], runs [run with prompt], hasMore, total,',
  '  checkpoints [{version, names, at}], transcript [message], decisions [{at, callId, action, by, reason}],',
  '  of sessions: sessions [{id, agent, subject, runs, lastRun, lastActivity, active}], hasMore,',
  '  of delete: deleted {runs [id], readers [id]}; of prune: before, pruned [id]; of export: format, and markdown,',
  '  of graph: chart, format, drawing, checkpoints [{version, names, at, value, calls}],',
  '  of studio: url, agents [name],',
  '  of workers: workers [{id, host, pid, agents, concurrency, driving, startedAt, silentMs}],',
  '  postponed [{runId, agent, until, failures, problem}], or runId, isRetried; of worker: each event on a line of its own,',
  '  then worker, counts {driving, claimed, released, failed, left};',
  '  of doctor: version, node, model, keys {name: isSet}, servers {name: address}, packages {name: version}, sandboxes,',
  '  store {file, runs, driven [id]}, checked, problems [{runId, status, code, message}].',
  '',
  'Exit codes: 0 done: a run ended naturally or was cancelled as asked, a decision or message was stored;',
  '  1 the run ended in an error, was stopped or cancelled; 2 misuse; 3 the run waits for a decision or its model,',
  '  after Ctrl-C at a question too, or chat has no terminal; 4 the store or the run cannot be used; 130 Ctrl-C while',
  '  it was driven, the run is stored.',
]

/** Returns the version in the package's own package.json, found from the source and from the build. */
export async function packageVersion(): Promise<string> {
  const { version } = await packageManifest()
  return typeof version === 'string' ? version : 'unknown'
}
