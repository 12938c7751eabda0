import { z } from 'zod'
import { checkOptions, having, number, optional, type OptionShape } from '../../core/domain/text/option-shape.ts'
import type { Redactor } from '../../core/domain/text/redactor.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Sandbox } from '../../core/ports/sandbox.ts'
import type { Tool } from '../../core/ports/tool.ts'
import { tool } from '../../core/ports/define-tool.ts'
import { blockedBy } from './blocked-command.ts'
import { failed } from './file-failure.ts'
import { withFolder } from './held-place.ts'
import { systemClock } from '../../core/ports/system-clock.ts'
import { redactedTool } from './redacted-tool.ts'
import { resolvedPath } from './resolved-path.ts'
import { outputRedactor } from './secrets.ts'
import { runCommand } from './run-command.ts'
import { aFolder, aSandbox, anEnvironment, asking, variableNames } from './tool-options.ts'

export {
  redactorOf,
  type RedactedStream,
  type Redactor,
  type RedactorOptions,
  type Secret,
} from '../../core/domain/text/redactor.ts'
export { bubblewrap } from './sandboxes/bubblewrap.ts'
export type { BubblewrapOptions } from './sandboxes/bubblewrap-options.ts'
export { unconfined } from './sandboxes/unconfined.ts'
export type { Sandbox, SandboxCommand, SandboxEnd, SandboxProcess } from '../../core/ports/sandbox.ts'

/** Options of the tool `shell`. */
export interface ShellOptions {
  /** The folder commands start in. */
  readonly root: string
  /** `bubblewrap()`, `unconfined()` or one of your own; there is no default. */
  readonly sandbox: Sandbox
  /** Default `approval`: every command is suspended until somebody decides. */
  readonly run?: 'approval' | 'allow'
  /** Variables that are passed on in addition to PATH, HOME, LANG, TERM and TZ. */
  readonly variables?: readonly string[]
  /** The source of the variables. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /**
   * Masks secrets in all output of the tool. Default: the values of variables whose names look like keys, and passwords
   * of addresses.
   */
  readonly redactor?: Redactor
  /** Milliseconds a command may take if the call does not say. Default 120,000. */
  readonly timeoutMs?: number
  readonly clock?: Clock
}

const longestSeconds = 3_600

const input = z.object({
  command: z.string().min(1).describe('What bash runs, as in bash -c'),
  folder: z.string().min(1).optional().describe('Working folder, from the root folder. Default: the root folder'),
  timeoutSeconds: z.int().min(1).max(longestSeconds).optional().describe('Seconds it may take. Default 120'),
})

const shape: OptionShape<ShellOptions> = {
  root: aFolder,
  sandbox: aSandbox,
  run: optional(asking),
  variables: optional(variableNames),
  environment: optional(anEnvironment),
  redactor: optional(having('a redactor, such as redactorOf([…])', 'text', 'json', 'stream')),
  timeoutMs: optional(number('a finite number above 0', (value) => Number.isFinite(value) && value > 0)),
  clock: optional(having('a clock', 'now', 'sleepUntil')),
}

/** Returns the tool `shell`, which runs bash and ends all of its processes. At most 256 KB of each stream are kept. */
export function shellTool(options: ShellOptions): Tool {
  checkOptions('shellTool', options, shape)
  const { environment = process.env, timeoutMs = 120_000, clock = systemClock, sandbox } = options
  const redactor = options.redactor ?? outputRedactor(environment)
  const variables = passedEnvironment(environment, options.variables)
  let notice = sandbox.notice
  const shell = tool({
    name: 'shell',
    label: 'Shell',
    description: `Runs a bash command in the root folder (sandbox: ${sandbox.name}). Background programs end with it.`,
    input,
    ruleFields: { command: 'command', folder: resolvedPath(options.root) },
    ...(options.run === 'allow' ? {} : { needs: 'approval' as const }),
    effects: 'once',
    timeoutMs: Number.POSITIVE_INFINITY,
    execute: ({ command, folder = '.', timeoutSeconds }, context) =>
      withFolder(options.root, folder, context.signal, async (held, { shown, root }) => {
        const refusal = refusalOf(command) ?? (await sandbox.check())
        if (refusal !== undefined) return failed(refusal)
        if (notice !== undefined) context.progress(notice)
        notice = undefined
        const asked = timeoutSeconds === undefined ? timeoutMs : timeoutSeconds * 1_000
        const wanted = { command, root, folder: shown, environment: variables }
        return await runCommand(wanted, { sandbox, held: held.path, timeoutMs: asked, redactor, clock }, context)
      }),
  })
  return redactedTool(shell, redactor)
}

/** Linux takes no single parameter above 128 KB. */
const commandLimit = 100_000

function refusalOf(command: string): string | undefined {
  if (command.includes('\0'))
    return 'The command contains a NUL character, which programs cannot receive. Leave it out.'
  if (!command.isWellFormed())
    return 'The command contains half of a character, which programs cannot receive. Give whole characters.'
  const bytes = Buffer.byteLength(command)
  if (bytes <= commandLimit) return blockedBy(command)
  return `The command has ${bytes} bytes; at most ${commandLimit} are allowed. Write a script with write_file and run that.`
}

const always = ['PATH', 'HOME', 'LANG', 'TERM', 'TZ']

/** The part of an environment that commands are given: a few harmless variables, and those named. */
function passedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  named: readonly string[] = [],
): Readonly<Record<string, string>> {
  const names = [...new Set([...always, ...named])]
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  )
}
