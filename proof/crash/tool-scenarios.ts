import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../../src/core/domain/text/json.ts'
import type { Tool } from '../../src/core/ports/tool.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { CrashEnvironment } from '../../src/testing/crash/crash-environment.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { defaultTools } from '../../src/adapters/tools/default-tools.ts'
import { unconfined } from '../../src/adapters/tools/shell.ts'
import { approveFirst } from './scenario-parts.ts'

/**
 * Runs with the built-in tools in a folder of their own. What they did twice would show in what the last calls read:
 * a file that was there already, an edit that finds nothing, a line appended once more.
 */
export const withTools: readonly CrashScenario[] = [
  {
    name: 'files and commands, real ones',
    build: (environment) => ({
      name: 'a',
      model: calling([
        ['write_file', { path: 'notes/a.txt', content: 'one\n' }],
        ['edit_file', { path: 'notes/a.txt', edits: [{ oldText: 'one', newText: 'two' }] }],
        ['shell', { command: 'echo three >> a.txt; exit 3', folder: 'notes' }],
        ['search_files', { query: 't' }],
        ['read_file', { path: 'notes/a.txt' }],
      ]),
      tools: toolsOf(environment, 'allow'),
    }),
  },
  {
    name: 'a command that has to be approved',
    build: (environment) => ({
      name: 'a',
      model: calling([
        ['shell', { command: 'echo once >> log' }],
        ['read_file', { path: 'log' }],
      ]),
      tools: toolsOf(environment, 'approval'),
    }),
    play: approveFirst,
  },
]

function calling(calls: readonly (readonly [name: string, given: Json])[]) {
  const turns = calls.map(([name, given], index) => ({ toolCalls: [{ id: `c${index}`, name, arguments: given }] }))
  return scripted([...turns, 'Done.'], { now: () => 0 })
}

function toolsOf(environment: CrashEnvironment, run: 'approval' | 'allow'): readonly Tool[] {
  const { PATH } = process.env
  const root = folderOf(environment)
  const tools = defaultTools({ root, sandbox: unconfined(), write: 'allow', run, environment: { PATH } })
  // Without their probes, so that somebody is asked about each interrupted call.
  return tools.map(({ probe: _, ...tool }) => recorded(tool, environment))
}

/** What the tool did is on record with the text of its result, which is what a person would answer an interrupted call with. */
function recorded(tool: Tool, environment: CrashEnvironment): Tool {
  return {
    ...tool,
    execute: async (input, context) => await environment.perform(context, textOf(await tool.execute(input, context))),
  }
}

function textOf(returned: unknown): string {
  if (typeof returned !== 'object' || returned === null || !('content' in returned)) return String(returned)
  return Array.isArray(returned.content) ? returned.content.map((block) => String(Object(block).text)).join('\n') : ''
}

const folders = new WeakMap<object, string>()
let base: string | undefined

/** One folder for all processes of a trial, which share a clock; all are removed when this process ends. */
function folderOf({ clock }: CrashEnvironment): string {
  if (base === undefined) {
    const made = (base = realpathSync(mkdtempSync(join(tmpdir(), 'crash-tools-'))))
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  }
  const known = folders.get(clock)
  if (known !== undefined) return known
  const folder = mkdtempSync(join(base, 'trial-'))
  folders.set(clock, folder)
  return folder
}
