/** An option: its type for `node:util`, and its help text. */
interface OptionRow {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  /** True if the option may be given several times. */
  readonly multiple?: true
  /** The placeholder of its value. */
  readonly value?: string
  readonly says: string
}

/** The options of the command table; `help` and `version` are commands instead. */
export type OptionName = keyof typeof optionTypes

/** Every option, in the order of the help. */
export const optionTypes = {
  store: {
    type: 'string',
    value: 'place',
    says: 'SQLite file of the runs (default: .statewright/runs.db in the root folder), or postgres://…',
  },
  agents: {
    type: 'string',
    value: 'file',
    says: 'module that exports agents, or a function of a store that makes them. It is run when it is loaded, with all your rights. Runs of these agents are driven by the commands',
  },
  agent: { type: 'string', value: 'name', says: 'of run and chat: which of them; of lists: whose' },
  concurrency: { type: 'string', value: 'n', says: 'how many runs at once (default: 8)' },
  root: {
    type: 'string',
    value: 'folder',
    says: 'folder the tools work in and never leave (default: the working folder)',
  },
  model: {
    type: 'string',
    value: 'name',
    says: 'provider/model, e.g. anthropic/claude-sonnet-5-5; "scripted" is a demo without a key (default: the one stored with the run; for a new one, the one whose key is set). Keys: ANTHROPIC_API_KEY, OPENAI_API_KEY; servers: ANTHROPIC_BASE_URL, OPENAI_BASE_URL',
  },
  shell: {
    type: 'string',
    value: 'name',
    says: 'let the run ask to run commands, in a box: bubblewrap, or in none: unconfined (default: no commands; for prompt, as the run before)',
  },
  file: {
    type: 'string',
    multiple: true,
    value: 'path',
    says: 'send this picture, PDF or text with the prompt; may be given several times',
  },
  status: { type: 'string', value: 'status', says: 'running, waiting or done' },
  limit: { type: 'string', value: 'n', says: 'at most so many (default: 100)' },
  subject: { type: 'string', value: 'text', says: 'what they are about' },
  session: { type: 'string', value: 'id', says: 'the conversation' },
  from: { type: 'string', value: 'checkpoint', says: 'its number, as show lists it' },
  before: {
    type: 'string',
    value: 'time',
    says: 'a date, e.g. 2026-03-01, or an age: 30d, 12h, 90min',
  },
  yes: { type: 'boolean', says: 'do not ask before it deletes' },
  options: {
    type: 'string',
    value: 'file',
    says: 'module that exports the options of an agent as "options"; it is run',
  },
  out: { type: 'string', value: 'file', says: 'the file that is written (default: standard output)' },
  allow: { type: 'string', value: 'fields', says: 'fields whose values may be shown, separated by commas' },
  reason: { type: 'string', value: 'text', says: 'why, for the model and the audit' },
  scope: { type: 'string', value: 'scope', says: 'how far the answer goes: once, run or always' },
  revoke: { type: 'string', value: 'id', says: 'take this grant back' },
  input: { type: 'string', value: 'JSON', says: 'the arguments to run with, in place of the given ones' },
  retry: {
    type: 'boolean',
    says: 'run an interrupted call again, although it may have run already; of workers: let them have a run',
  },
  full: { type: 'boolean', says: 'leave nothing out of what is printed' },
  runs: { type: 'boolean', says: 'look at the open runs too; exit code 4 where one cannot go on' },
  format: {
    type: 'string',
    value: 'name',
    says: 'of graph: mermaid (default), svg, or json, which createMachine and Stately Studio take; of export: json (default) or markdown',
  },
  run: { type: 'string', value: 'id', says: 'the run whose states are marked, as far as its checkpoints tell' },
  overview: { type: 'boolean', says: 'the compounds of the chart alone' },
  port: { type: 'string', value: 'number', says: 'where it listens (default: a free one)' },
  'no-drive': { type: 'boolean', says: 'store what is said and leave the run to another process' },
  trust: { type: 'boolean', says: 'count the rules of .statewright/permissions.json that allow calls, too' },
  json: { type: 'boolean', says: 'print one JSON object and nothing else; what is for people goes to stderr' },
  debug: { type: 'boolean', says: 'print the stack of an unexpected error' },
  help: { type: 'boolean', short: 'h', says: 'what there is to know of the command' },
  version: { type: 'boolean', short: 'v', says: 'the version' },
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

function isOptionName(word: string): word is OptionName {
  return Object.hasOwn(optionTypes, word)
}
