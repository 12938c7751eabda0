/**
 * Reads and writes texts in place of the file system, such as an editor with unsaved changes. Paths are absolute, inside the
 * root folder, and without links. Both reject with a text for the model.
 */
export interface TextFiles {
  read(path: string, signal: AbortSignal): Promise<string>
  write(path: string, text: string, signal: AbortSignal): Promise<void>
}
