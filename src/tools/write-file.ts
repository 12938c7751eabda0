import { access, constants, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { hashText } from '../domain/json.ts'
import { tool, type Tool, type ToolContext, type ToolResult } from '../ports/tool.ts'
import { confinePath } from './confine-path.ts'
import { errorCode, failed, withoutThrowing } from './file-failure.ts'

const input = z.object({
  path: z.string().min(1).describe('File to write, from the root folder; missing folders are made'),
  content: z.string().describe('The whole new content'),
})

/** The tool `write_file`: replaces or creates a whole file; asks first unless `write` is `allow`. */
export function writeFileTool(root: string, write: 'approval' | 'allow'): Tool {
  return tool({
    name: 'write_file',
    label: 'Write file',
    description: 'Writes a whole text file inside the root folder, creating or replacing it.',
    input,
    ...(write === 'approval' ? { needs: 'approval' as const } : {}),
    effects: 'once',
    execute: ({ path, content }, context) =>
      withoutThrowing(path, context.signal, async () => {
        const confined = await confinePath(root, path)
        if (!confined.ok) return failed(confined.message)
        if (isKept(confined.shown)) return failed(`"${confined.shown}" is kept from tools. Choose another path.`)
        await mkdir(dirname(confined.path), { recursive: true })
        const made = await confinePath(root, path)
        if (!made.ok) return failed(made.message)
        return await replaceFile(made.path, made.shown, content, context)
      }),
  })
}

/** Writing into these would change what git runs or what the engine knows. */
function isKept(shown: string): boolean {
  return shown.split('/').some((name) => ['.git', '.statewright'].includes(name.toLowerCase()))
}

/** Writes beside the target, then renames, so that a reader or a crash never sees half a file. */
async function replaceFile(path: string, shown: string, content: string, context: ToolContext): Promise<ToolResult> {
  const present = await modeOf(path)
  if (present === 'not a file') return failed(`"${shown}" is a folder or a special file. Name a file.`)
  if (present !== undefined) await access(path, constants.W_OK)
  const temporary = join(dirname(path), `.write-${hashText(context.idempotencyKey)}.tmp`)
  try {
    await rm(temporary, { force: true })
    await writeNew(temporary, content, present)
    context.signal.throwIfAborted()
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
  const bytes = Buffer.byteLength(content)
  return {
    content: [{ type: 'text', text: `${present === undefined ? 'Created' : 'Replaced'} ${shown} (${bytes} bytes).` }],
    details: { path: shown, bytes },
  }
}

async function modeOf(path: string): Promise<number | 'not a file' | undefined> {
  try {
    const stats = await stat(path)
    return stats.isFile() ? stats.mode & 0o7777 : 'not a file'
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function writeNew(path: string, content: string, mode: number | undefined): Promise<void> {
  const file = await open(path, 'wx')
  try {
    await file.writeFile(content)
    if (mode !== undefined) await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}
