import { defined } from '../../core/domain/text/json.ts'
import { checkOptions, filledText, optional, type OptionShape } from '../../core/domain/text/option-shape.ts'
import { redactorOf } from '../../core/domain/text/redactor.ts'
import type { Tool } from '../../core/ports/tool.ts'
import { fileTools, type FileToolsOptions } from './files.ts'
import { redactedTool } from './redacted-tool.ts'
import { secretsIn } from './secrets.ts'
import { type ShellOptions, shellTool } from './shell.ts'
import { aSandbox, anEnvironment, asking, skillFolders, textFiles, variableNames } from './tool-options.ts'

export { attach, type AttachOptions } from './attach.ts'

/** Options of the default tools. The values of variables that look like keys are masked. */
export interface DefaultToolsOptions
  extends FileToolsOptions, Pick<ShellOptions, 'sandbox' | 'run' | 'variables' | 'environment'> {}

const shape: OptionShape<DefaultToolsOptions> = {
  root: filledText,
  sandbox: aSandbox,
  write: optional(asking),
  run: optional(asking),
  skills: optional(skillFolders),
  texts: optional(textFiles),
  variables: optional(variableNames),
  environment: optional(anEnvironment),
}

/**
 * Returns the tools `shell`, `read_file`, `list_files`, `search_files`, `write_file` and `edit_file`, with secrets
 * masked in all their output.
 *
 * @example
 * createAgent({ name: 'fixer', model, tools: defaultTools({ root: process.cwd(), sandbox: bubblewrap() }) })
 */
export function defaultTools(options: DefaultToolsOptions): readonly Tool[] {
  checkOptions('defaultTools', options, shape)
  const { root, skills, texts, environment = process.env } = options
  const redactor = redactorOf(secretsIn(environment))
  const shell = shellTool({
    root,
    sandbox: options.sandbox,
    environment,
    run: options.run ?? 'approval',
    variables: options.variables ?? [],
  })
  const files = fileTools({ root, write: options.write ?? 'approval', ...defined({ skills, texts }) })
  return [shell, ...files.map((one) => redactedTool(one, redactor))]
}
