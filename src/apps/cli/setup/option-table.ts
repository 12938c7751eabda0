/** An option: its type for `node:util`, and its help text. */
interface OptionRow {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly default?: false
  /** True if the option may be given several times. */
  readonly multiple?: true
  readonly value?: string
  readonly says: string
}

/** The options of the command table. `help` and `version` are commands instead. */
export type OptionName = keyof typeof optionTypes

function word<const Value extends string>(value: Value, says: string) {
  return { type: 'string', value, says } as const
}

function flag(says: string) {
  return { type: 'boolean', default: false, says } as const
}

/** The word for the newest run or conversation. */
export const lastWord = 'last'

/** Every option, in the order of the help. */
export const optionTypes = {
  store: word(
    'place',
    'where runs are stored: an SQLite file, or postgres://… (default: .statewright/runs.db in the root)',
  ),
  agents: word(
    'file',
    'module that exports agents, or a function that makes them on a given store. Loading it runs its code with all your rights',
  ),
  agent: word('name', 'the agent of a new run; in lists, the agent whose runs are listed'),
  concurrency: word('n', 'how many runs to drive at once (default: 8)'),
  root: word('folder', 'folder that the tools never leave (default: the working folder)'),
  model: word(
    'name',
    'provider/model, such as anthropic/claude-sonnet-5-5, or "scripted" for a demo without a key. Default: the model of the run; for a new run, the provider whose key is set, such as ANTHROPIC_API_KEY or OPENAI_API_KEY. ANTHROPIC_BASE_URL and OPENAI_BASE_URL name another server',
  ),
  shell: word(
    'name',
    'whether the model may ask to run commands: in a sandbox (bubblewrap), without one (unconfined), or not at all (none). Default: none, and for prompt as in the run before; a new chat asks once for each folder, if bubblewrap works here',
  ),
  file: { ...word('path', 'send this picture, PDF or text with the prompt; may be repeated'), multiple: true },
  mcp: { ...word('name', 'start this MCP server if the editor offers it; may be repeated'), multiple: true },
  status: word('status', 'list only runs that are running, waiting or done'),
  limit: word('n', 'the maximum number (default: 100)'),
  subject: word('text', 'list only those with this subject'),
  session: word('id', 'the conversation; the beginning of its id is enough, and "last" is the newest'),
  continue: flag('continue the newest conversation'),
  from: word(
    'place',
    'for fork, the number of a checkpoint as show lists it; for diff and forecast, the module with the earlier options or agents',
  ),
  before: word('time', 'a date, such as 2026-03-01, or an age: 30d, 12h, 90min'),
  yes: flag('delete without asking'),
  options: word('file', 'module that exports the options of an agent as "options". Loading it runs its code'),
  out: word('file', 'where to write (default: standard output); for coverage, a folder'),
  allow: word('fields', 'fields whose values may appear in the test, separated by commas'),
  reason: word('text', 'why; the model and the audit read it'),
  scope: word('scope', 'the scope of the answer: once, run, family or always'),
  revoke: word('id', 'the grant to revoke'),
  input: word('JSON', 'run the call with these arguments instead'),
  retry: flag('run a call again although it may have run already; for workers, give the run back to them'),
  full: flag('cut nothing'),
  runs: flag('check the open runs too; the exit code is 4 if one cannot continue'),
  format: word(
    'name',
    'for graph: mermaid (default), svg, or json for createMachine and Stately Studio; for export: json (default), or markdown for the transcript alone',
  ),
  run: word('id', 'mark the states that this run passed, as far as its checkpoints show'),
  overview: flag('draw only the outermost states'),
  port: word('number', 'the port to listen on (default: a free one)'),
  'no-drive': flag('store the answer or message, and leave the run to another process'),
  trust: flag('also apply the rules of .statewright/permissions.json that allow calls'),
  json: flag('print one JSON object and nothing else; texts for people go to standard error'),
  debug: flag('print the stack of an unexpected error'),
  help: { ...flag('explain the command'), short: 'h' },
  version: { ...flag('print the version'), short: 'v' },
} as const satisfies Record<string, OptionRow>

/** Returns the usage of an option, e.g. `--store <place>`. */
export function optionUsage(name: OptionName): string {
  const row: OptionRow = optionTypes[name]
  return row.value === undefined ? `--${name}` : `--${name} <${row.value}>`
}

/** Returns the help text of an option. */
export function optionText(name: OptionName): string {
  return optionTypes[name].says
}

/** The options in the order of the help. */
export const optionNames: readonly OptionName[] = Object.keys(optionTypes).filter(isOptionName)

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionTypes, name)
}
