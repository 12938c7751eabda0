import type { CreateTerminalRequest, ToolCallUpdate } from '@agentclientprotocol/sdk'
import {
  canonicalJson,
  defined,
  hashText,
  isRecord,
  type Json,
  type JsonObject,
  toPlainJson,
} from '../../core/domain/text/json.ts'

/** A request of the agent: the tool and the arguments of its call. */
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
  /** The signal that ended a command, which then has no exit code. */
  readonly signal?: string
}

/** The kinds of calls in the protocol. */
export const kinds = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other']

/** The tools that perform requests for files and terminals. */
export const servingTools = { read: 'read_file', write: 'write_file', run: 'shell' }

/** Returns a request with an id. A repeated request of the agent has the same id. */
export function askedCall(tool: string, given: JsonObject): AskedCall {
  return { id: hashText(canonicalJson([tool, given])), tool, arguments: given }
}

/** Returns the call for a permission. Its id is the same when the agent repeats the request. */
export function askedIn({ kind, title, rawInput, locations }: ToolCallUpdate): AskedCall {
  const input = toPlainJson(rawInput) ?? null
  const line = lineIn(isRecord(input) ? input['command'] : undefined)
  // Rules read every path of a list.
  const [path, ...others] = locations?.map((location) => location.path) ?? []
  const paths = others.length === 0 || path === undefined ? path : [path, ...others]
  const given = { title: title ?? '', ...defined({ command: line, path: paths }), input }
  return askedCall(kinds.find((known) => known === kind) ?? 'other', given)
}

/** Returns a command as rules read it: a line, or a list of words as a line. */
function lineIn(command: Json | undefined): string | undefined {
  if (typeof command === 'string') return command
  if (!Array.isArray(command)) return undefined
  const words = command.flatMap((word: Json) => (typeof word === 'string' ? [quoted(word)] : []))
  return words.length === command.length && words.length > 0 ? words.join(' ') : undefined
}

/** Returns the arguments of the tool `shell` for a command in a terminal: one line, each word quoted. */
export function commandOf({ command, args = [], env = [], cwd }: Omit<CreateTerminalRequest, 'sessionId'>): JsonObject {
  const named = env.length === 0 ? [] : ['env', ...env.map(({ name, value }) => quoted(`${name}=${value}`))]
  // A command without parameters may be a whole line.
  const words = args.length === 0 ? [command] : [command, ...args].map(quoted)
  return { command: [...named, ...words].join(' '), ...(typeof cwd === 'string' ? { folder: cwd } : {}) }
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
