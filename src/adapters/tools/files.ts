import { checkOptions, optional, type OptionShape } from '../../core/domain/text/option-shape.ts'
import type { Tool } from '../../core/ports/tool.ts'
import { aFolder, asking, skillFolders, textFiles } from './tool-options.ts'
import { editFileTool } from './edit-file.ts'
import { listFilesTool } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { searchFilesTool } from './search-files.ts'
import type { TextFiles } from './text-files.ts'
import { writeFileTool } from './write-file.ts'

export type { FilePreview } from './file-preview.ts'
export type { TextFiles } from './text-files.ts'

/** Options of the file tools. */
export interface FileToolsOptions {
  /** The folder that no path and no link leads out of. Commands in a box can change no other folder. */
  readonly root: string
  /** Default `approval`: each write and edit is suspended until somebody decides. */
  readonly write?: 'approval' | 'allow'
  /** Skills, such as a `SkillSet`, whose folders `read_file` may also read. */
  readonly skills?: { folders(): readonly string[] }
  /**
   * Reads and writes texts instead of the file system, such as an editor. Folders, pictures and searches use the disk.
   */
  readonly texts?: TextFiles | undefined
}

const shape: OptionShape<FileToolsOptions> = {
  root: aFolder,
  write: optional(asking),
  skills: optional(skillFolders),
  texts: optional(textFiles),
}

/**
 * Returns the tools `read_file`, `list_files`, `search_files`, `write_file` and `edit_file`, confined to one folder.
 *
 * @example
 * createAgent({ name: 'clerk', model, instructions: '…', tools: fileTools({ root: process.cwd() }) })
 */
export function fileTools(options: FileToolsOptions): readonly Tool[] {
  checkOptions('fileTools', options, shape)
  const { root, write = 'approval', skills, texts } = options
  return [
    readFileTool(root, skills && (() => skills.folders()), texts),
    listFilesTool(root),
    searchFilesTool(root),
    writeFileTool(root, write, texts),
    editFileTool(root, write, texts),
  ]
}
