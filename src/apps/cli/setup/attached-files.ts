import type { PromptMessage } from '../../../index.ts'
import { attach } from '../../../adapters/tools/default-tools.ts'
import { messageOf, misuse } from '../terminal/cli-error.ts'

/** A file to attach, with its name for the model. */
export interface NamedFile {
  readonly path: string
  readonly name?: string
}

/** Returns a prompt followed by files: pictures, PDFs and texts. Throws a `CliError` for a file that cannot be sent. */
export async function withFiles(prompt: string, files: readonly NamedFile[]): Promise<string | PromptMessage> {
  if (files.length === 0) return prompt
  const blocks = await Promise.all(
    files.map(({ path, name }) =>
      attach(path, name === undefined ? {} : { name }).catch((error: unknown) => {
        throw misuse('bad_file', messageOf(error))
      }),
    ),
  )
  return { role: 'user', content: [{ type: 'text', text: prompt }, ...blocks] }
}
