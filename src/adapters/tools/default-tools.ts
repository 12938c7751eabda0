import { checkOptions, filledText, optional, type OptionShape } from '../../core/domain/text/option-shape.ts'
import { redactorOf } from '../../core/domain/text/redactor.ts'
import type { Sandbox } from '../../core/ports/sandbox.ts'
import type { Tool } from '../../core/ports/tool.ts'
import { fileTools } from './files.ts'
import { redactedTool } from './redacted-tool.ts'
import { secretsIn } from './secrets.ts'
import { shellTool } from './shell.ts'
import { aSandbox, anEnvironment, asking, skillFolders, variableNames } from './tool-options.ts'

export { attach, type AttachOptions } from './attach.ts'

/** Where the default tools work, and what asks. */
export interface DefaultToolsOptions {
  /** The folder no path and no link leads out of, and the only one a box lets commands change. */
  readonly root: string
  /** `bubblewrap()`, `unconfined()` or one of your own; there is no default. */
  readonly sandbox: Sandbox
  /** Default `approval`: every write and edit is suspended until somebody decides. */
  readonly write?: 'approval' | 'allow'
  /** Default `approval`: every command is suspended until somebody decides. */
  readonly run?: 'approval' | 'allow'
  /** Folders of skills, which `read_file` may read besides; a `SkillSet` says them. */
  readonly skills?: { folders(): readonly string[] }
  /** Variables commands are given beside PATH, HOME, LANG, TERM and TZ. */
  readonly variables?: readonly string[]
  /** What variables are taken from; values of those that look like keys are masked. Default: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

const shape: OptionShape<DefaultToolsOptions> = {
  root: filledText,
  sandbox: aSandbox,
  write: optional(asking),
  run: optional(asking),
  skills: optional(skillFolders),
  variables: optional(variableNames),
  environment: optional(anEnvironment),
}

/**
 * The tools `shell`, `read_file`, `list_files`, `search_files`, `write_file` and `edit_file`, with secrets masked in all
 * they tell.
 *
 * @example
 * createAgent({ name: 'fixer', model, tools: defaultTools({ root: process.cwd(), sandbox: bubblewrap() }) })
 */
export function defaultTools(options: DefaultToolsOptions): readonly Tool[] {
  checkOptions('defaultTools', options, shape)
  const { root, skills, environment = process.env } = options
  const redactor = redactorOf(secretsIn(environment))
  const shell = shellTool({
    root,
    sandbox: options.sandbox,
    environment,
    run: options.run ?? 'approval',
    variables: options.variables ?? [],
  })
  const files = fileTools({ root, write: options.write ?? 'approval', ...(skills === undefined ? {} : { skills }) })
  return [shell, ...files.map((one) => redactedTool(one, redactor))]
}
