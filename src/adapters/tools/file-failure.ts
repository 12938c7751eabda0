import type { ToolResult } from '../../core/ports/tool.ts'
import { cutText } from './foreign-text.ts'

/** Returns a result of status `error` that tells the model what to change. */
export function failed(text: string): ToolResult {
  return { content: [{ type: 'text', text }], status: 'error' }
}

/** Returns the operating system's code of a failure, e.g. `ENOENT`, or undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Runs a file operation and turns its exceptions into a result about `path`, so that no file tool throws. */
export async function withoutThrowing<T>(
  path: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T | ToolResult> {
  try {
    signal.throwIfAborted()
    return await work()
  } catch (error) {
    const shown = JSON.stringify(cutText(path, 500, '…'))
    if (signal.aborted) return failed(`${shown}: cancelled before it was done.`)
    const code = errorCode(error)
    const reason = code === undefined ? undefined : reasons[code]
    return failed(`${shown}: ${reason ?? `the file system answered ${code ?? String(error)}.`}`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder. List the folder to see what there is.',
  ENOTDIR: 'a part of this path is a file, not a folder. List the folder to see what there is.',
  EISDIR: 'this is a folder, not a file. Name a file in it.',
  EACCES: 'no permission. Choose another path or ask the user to change the permissions.',
  EPERM: 'the operation is not permitted. Choose another path or ask the user.',
  EROFS: 'the file system is read-only. Choose another path or ask the user.',
  ELOOP: 'its links lead in a circle, or a link was put in its place meanwhile. Choose another path.',
  ESTALE: 'its folder was replaced meanwhile. Try again.',
  ENXIO: 'this is not a regular file. Name a file.',
  ENAMETOOLONG: 'the name is too long for this file system. Choose a shorter one.',
  ENOSPC: 'the disk is full. Tell the user.',
  EMFILE: 'too many files are open. Try again later.',
}
