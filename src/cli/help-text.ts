import { readFile } from 'node:fs/promises'
import { commandNames, commandRow, usageOf } from './command-table.ts'

/** What `statewright help` prints. */
export function helpText(): string {
  const rows = commandNames.map(
    (name) => [usageOf(name).replace('statewright ', ''), commandRow(name).summary] as const,
  )
  const width = Math.max(...rows.map(([usage]) => usage.length))
  return [
    'statewright: agent runs that stop anywhere and go on later, in any process.',
    '',
    'Usage: statewright <command>',
    ...rows.map(([usage, summary]) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    ...rest,
  ].join('\n')
}

const rest = [
  'Options',
  '  --store <place>  SQLite file of the runs (default: .statewright/runs.db in the root folder), or postgres://…',
  '  --agents <file>  module that exports agents, or a function of a store that makes them; it is run when it is loaded,',
  '                   with all your rights. Runs of these agents are driven by the commands, and by worker',
  '  --agent <name>   of run: which of them',
  '  --concurrency <n>  of worker: how many runs at once (default: 8)',
  '  --root <folder>  folder the tools work in and never leave (default: the working folder)',
  '  --model <name>   provider/model, e.g. anthropic/claude-sonnet-5-5; "scripted" is a demo without a key',
  '                   (default: the one stored with the run; for run, the one whose key is set)',
  '                   keys: ANTHROPIC_API_KEY, OPENAI_API_KEY; servers: ANTHROPIC_BASE_URL, OPENAI_BASE_URL',
  '  --shell <name>   let the run ask to run commands, in a box: bubblewrap, or in none: unconfined',
  '                   (default: no commands; for prompt, as the run before)',
  '  --retry          run an interrupted call again, although it may have run already; of workers: let them have a run',
  '  --full           leave nothing out of what show prints',
  '  --runs           let doctor look at the open runs; exit code 4 where one cannot go on',
  '  --format <name>  of graph: mermaid (default), svg, or json, which createMachine and Stately Studio take',
  '  --overview       of graph: the compounds of the chart alone',
  '  --run <id>       of graph: the run whose states are marked, as far as its checkpoints tell',
  '  --agents <file>  of studio: a module that exports agents on the store, whose runs it drives',
  '  --port <number>  of studio: where it listens (default: a free one)',
  '  --no-drive       store the decision or message and leave the run to another process',
  '  --trust          count the rules of .statewright/permissions.json that allow calls, too',
  '  --json           end with one JSON object on the last line of the output',
  '  --debug          print the stack of an unexpected error',
  '',
  'An approval is for one call and no other. The call may be left out where exactly one is suspended.',
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
  '  checkpoints [{version, names, at}], transcript [message],',
  '  of graph: chart, format, drawing, checkpoints [{version, names, at, value, calls}],',
  '  of studio: url, agents [name],',
  '  of workers: workers [{id, host, pid, agents, concurrency, driving, startedAt, silentMs}],',
  '  postponed [{runId, agent, until, failures, problem}], or runId, isRetried; of worker: each event on a line of its own,',
  '  then worker, counts {driving, claimed, released, failed, left};',
  '  of doctor: node, model, sandboxes, store {file, runs}, checked, problems [{runId, status, code, message}].',
  '',
  'Exit codes: 0 done: a run ended naturally or was cancelled as asked, a decision or message was stored;',
  '  1 the run ended in an error, was stopped or cancelled; 2 misuse; 3 the run waits for a decision or its model,',
  '  after Ctrl-C at a question too; 4 the store or the run cannot be used; 130 Ctrl-C while it was driven,',
  '  the run is stored.',
]

/** The version in the package's own package.json, found from the source as from the build. */
export async function packageVersion(): Promise<string> {
  for (const path of ['../../package.json', '../../../package.json']) {
    const text = await readFile(new URL(path, import.meta.url), 'utf8').catch(() => undefined)
    const found: unknown = text === undefined ? undefined : JSON.parse(text)
    if (isManifest(found) && found.name === 'statewright') return found.version
  }
  return 'unknown'
}

function isManifest(value: unknown): value is { name: string; version: string } {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('version' in value)) return false
  return typeof value.name === 'string' && typeof value.version === 'string'
}
