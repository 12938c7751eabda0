import {
  canonicalJson,
  hashText,
  isRecord,
  type Json,
  type JsonObject,
  toPlainJson,
} from '../../core/domain/text/json.ts'

/** A tool call as the protocol names it, in the fields that are read. */
interface ForeignCall {
  readonly kind?: string | null
  readonly title?: string | null
  readonly rawInput?: unknown
  readonly locations?: readonly { readonly path: string }[] | null
}

/** A command as the protocol names it, in the fields that are read. */
interface ForeignCommand {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly cwd?: string | null
}

/** A request of the agent: the tool and the arguments of the call that stands for it. */
export interface AskedCall {
  readonly id: string
  readonly tool: string
  readonly arguments: { readonly [field: string]: Json }
}

/** The answer to a request: the permission, or the result of the call. */
export interface CallAnswer {
  readonly isAllowed: boolean
  readonly text?: string
  readonly exitCode?: number
}

/** The kinds of calls that the protocol knows. */
export const kinds = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other']

/** The tools that perform requests for files and terminals. */
export const servingTools = { read: 'read_file', write: 'write_file', run: 'shell' }

/** Returns a request with an id that is the same when the agent asks for the same again. */
export function askedCall(tool: string, given: JsonObject): AskedCall {
  return { id: hashText(canonicalJson([tool, given])), tool, arguments: given }
}

/** The call that stands for a permission. Its id is the same when the agent asks for the same again. */
export function askedIn({ kind, title, rawInput, locations }: ForeignCall): AskedCall {
  const input = toPlainJson(rawInput) ?? null
  const command = isRecord(input) && typeof input['command'] === 'string' ? { command: input['command'] } : {}
  const path = locations?.[0]?.path
  const given = { title: title ?? '', ...command, ...(path === undefined ? {} : { path }), input }
  return askedCall(kinds.find((known) => known === kind) ?? 'other', given)
}

/** Returns the arguments of the tool `shell` for a command in a terminal: one line, each word quoted. */
export function commandOf({ command, args = [], env = [], cwd }: ForeignCommand): JsonObject {
  const named = env.length === 0 ? [] : ['env', ...env.map(({ name, value }) => quoted(`${name}=${value}`))]
  // A command without parameters may be a whole line.
  const words = args.length === 0 ? [command] : [command, ...args].map(quoted)
  return { command: [...named, ...words].join(' '), ...(typeof cwd === 'string' ? { folder: cwd } : {}) }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
