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

/** The options of the command table; `help` and `version` are commands instead. */
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
  store: word('place', 'SQLite file of the runs (default: .statewright/runs.db in the root folder), or postgres://…'),
  agents: word(
    'file',
    'module that exports agents, or a function of a store that makes them. It is run when it is loaded, with all your rights. Runs of these agents are driven by the commands',
  ),
  agent: word('name', 'for run and chat: the agent to use; for lists: whose runs'),
  concurrency: word('n', 'how many runs at once (default: 8)'),
  root: word('folder', 'folder the tools work in and never leave (default: the working folder)'),
  model: word(
    'name',
    'provider/model, e.g. anthropic/claude-sonnet-5-5; "scripted" is a demo without a key (default: the one stored with the run; for a new one, the one whose key is set). Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY; servers: ANTHROPIC_BASE_URL, OPENAI_BASE_URL',
  ),
  shell: word(
    'name',
    'let the model ask to run commands: in a sandbox (bubblewrap), without one (unconfined), or not at all (none). Default: no commands; a new chat asks once for each folder where bubblewrap works; prompt does as the run before',
  ),
  file: {
    ...word('path', 'send this picture, PDF or text with the prompt; may be given several times'),
    multiple: true,
  },
  mcp: {
    ...word('name', 'start this MCP server of the editor, if it names one; may be given several times'),
    multiple: true,
  },
  status: word('status', 'running, waiting or done'),
  limit: word('n', 'at most so many (default: 100)'),
  subject: word('text', 'what they are about'),
  session: word('id', 'the conversation; "last" is the newest'),
  continue: flag('go on with the newest conversation'),
  from: word(
    'place',
    'for fork: the number of a checkpoint, as show lists it; for diff and forecast: the module of the earlier options or agents',
  ),
  before: word('time', 'a date, e.g. 2026-03-01, or an age: 30d, 12h, 90min'),
  yes: flag('do not ask before it deletes'),
  options: word('file', 'module that exports the options of an agent as "options"; it is run'),
  out: word('file', 'the output file (default: standard output); for coverage, the folder'),
  allow: word('fields', 'fields whose values may be shown, separated by commas'),
  reason: word('text', 'why, for the model and the audit'),
  scope: word('scope', 'how far the answer goes: once, run, family or always'),
  revoke: word('id', 'take this grant back'),
  input: word('JSON', 'the arguments to run with, in place of the given ones'),
  retry: flag('run an interrupted call again, although it may have run already; of workers: return a run to them'),
  full: flag('leave nothing out of what is printed'),
  runs: flag('check the open runs too; exit code 4 if one cannot continue'),
  format: word(
    'name',
    'for graph: mermaid (default), svg, or json, which createMachine and Stately Studio accept; for export: json (default) or markdown',
  ),
  run: word('id', 'the run whose states are marked, as far as its checkpoints tell'),
  overview: flag('the compounds of the chart alone'),
  port: word('number', 'where it listens (default: a free one)'),
  'no-drive': flag('store what is said and leave the run to another process'),
  trust: flag('count the rules of .statewright/permissions.json that allow calls, too'),
  json: flag('print one JSON object and nothing else; texts for people go to stderr'),
  debug: flag('print the stack of an unexpected error'),
  help: { ...flag('what there is to know of the command'), short: 'h' },
  version: { ...flag('the version'), short: 'v' },
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
