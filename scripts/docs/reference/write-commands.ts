import { commandNames, commandRow, usageOf } from '../../../src/apps/cli/setup/command-table.ts'
import { exitCodeNotes, idNote } from '../../../src/apps/cli/setup/help-text.ts'
import { optionNames, optionText, optionUsage } from '../../../src/apps/cli/setup/option-table.ts'
import { writeTable } from './write-table.ts'

/** Returns the page of all commands, from the tables of the command line itself. */
export function writeCommands(): string {
  const rows = commandNames.map((name) => {
    const { summary, options } = commandRow(name)
    const named = optionNames.filter((option) => options.includes(option)).map((option) => `\`--${option}\``)
    return [`\`${usageOf(name)}\``, summary, named.join(' ')]
  })
  const options = optionNames.map((name) => [`\`${optionUsage(name)}\``, optionText(name)])
  return [
    '# Commands',
    'Written from the table of commands by `npm run docs`. The [guide](../guides/terminal.md) shows them at work.',
    writeTable(['Command', 'Does', 'Options'], rows),
    '## Options',
    writeTable(['Option', 'Is'], options),
    idNote,
    '`approve`, `deny` and `respond` need no call if exactly one is suspended. The value of `respond` is a text, or JSON if the schema of the call asks for another type.',
    '## Exit codes',
    writeTable(['Code', 'Means'], exitCodeNotes),
    '## Keys of --json',
    ['```text', ...jsonKeys, '```\n'].join('\n'),
  ].join('\n\n')
}

const jsonKeys: readonly string[] = [
  'command, exitCode; then error {code, message, hints}, or what the command is about:',
  'run {id, agent, status, reason, code, error, createdAt, updatedAt, forkedFrom, parentRunId, root, model,',
  'isDriven}, text, warning, usage {input, output, cacheRead, cacheWrite, totalTokens},',
  'suspended [{callId, toolName, arguments, target {path, replaces}, reason, message, mayHaveRun,',
  'answers {approve, deny, respond, full}}], stored [{action, callId, at}], receipts [{target, answer, message}],',
  'output, rejection {filter, reason}, undelivered [text], runs [run with prompt], hasMore, total,',
  'checkpoints [{version, names, at}], transcript [message], decisions [{at, callId, action, by, reason}],',
  'of sessions: sessions [{id, agent, subject, runs, lastRun, lastActivity, active}], hasMore,',
  'of delete: deleted {runs [id], readers [id]}; of prune: before, pruned [id]; of export: format, and markdown,',
  'of graph: chart, format, drawing, checkpoints [{version, names, at, value, calls}],',
  'of studio: url, agents [name],',
  'of workers: workers [{id, host, pid, agents, concurrency, driving, startedAt, silentMs}],',
  'postponed [{runId, agent, until, failures, problem}], or runId, isRetried; of worker: each event on a line of its own,',
  'then worker, counts {driving, claimed, released, failed, left};',
  'of doctor: version, node, model, keys {name: isSet}, servers {name: address}, packages {name: version}, sandboxes,',
  'store {file, runs, driven [id]}, checked, problems [{runId, status, code, message}].',
]
