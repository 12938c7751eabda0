import { setTimeout as pause } from 'node:timers/promises'
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { McpProcessOptions } from './mcp-options.ts'

/**
 * Starts a server as a child process. Closing lets it read the end of its input, then ends it by force, and resolves
 * once it is gone. What it writes to its error output is told.
 */
export function processTransport(
  Base: typeof StdioClientTransport,
  { command, args = [], env = {}, cwd, maxMessageBytes = 10_000_000 }: McpProcessOptions,
  wrote: (text: string) => void,
): StdioClientTransport {
  // A class of its own also keeps the package from starting a second process, which nothing could close, to ask it
  // which protocol it speaks.
  class ProcessTransport extends Base {
    #closing: Promise<void> | undefined

    /** Whoever closes it, and however often, waits for the same end. */
    override async close(): Promise<void> {
      this.#closing ??= this.#end()
      await this.#closing
    }

    async #end(): Promise<void> {
      const { pid } = this
      await super.close()
      if (pid !== null) await gone(pid)
    }
  }
  const transport = new ProcessTransport({
    command,
    args: [...args],
    env: { ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stderr: 'pipe',
    maxBufferSize: maxMessageBytes,
  })
  transport.stderr?.on('data', (chunk: Buffer) => wrote(chunk.toString()))
  return transport
}

/** A process that was killed is gone within milliseconds, unless the system itself holds it. */
const longestMs = 2_000

async function gone(pid: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < longestMs && isThere(pid); waitedMs += 10) await pause(10)
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
