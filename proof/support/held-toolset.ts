import type { Tool } from '../../src/core/ports/tool.ts'
import type { Toolset } from '../../src/core/ports/toolset.ts'

/** A toolset a test has in its hands: what it gives, when it fails, and what was asked of it. */
export interface HeldToolset {
  readonly toolset: Toolset
  /** The calls to it, in order: `tools`, `close`. */
  readonly asked: string[]
  /** Puts other tools in the place of those there are, and tells whoever listens. */
  give(...tools: readonly Tool[]): void
  /** Has it fail from now on, with this message, or no more. */
  fail(message: string | undefined): void
  /** Has whoever asks wait from now on until it is called again; gives up when the signal fires, unless told not to. */
  hold(options?: { readonly ignoresSignal?: boolean }): { release(): void; readonly asked: Promise<void> }
  readonly listeners: ReadonlySet<() => void>
}

/** Makes one; `optional` and `closing` say how it behaves. */
export function heldToolset(
  name: string,
  tools: readonly Tool[],
  { optional, closing }: { readonly optional?: boolean; readonly closing?: () => Promise<void> } = {},
): HeldToolset {
  const asked: string[] = []
  const listeners = new Set<() => void>()
  let given = tools
  let failure: string | undefined
  let gate: (signal?: AbortSignal) => Promise<void> = async () => {}
  let isClosed = false
  return {
    asked,
    listeners,
    give: (...others) => {
      given = others
      for (const tell of listeners) tell()
    },
    fail: (message) => void (failure = message),
    hold: ({ ignoresSignal = false } = {}) => {
      const opened = Promise.withResolvers<void>()
      const wasAsked = Promise.withResolvers<void>()
      gate = (signal) => {
        wasAsked.resolve()
        const isOver = ignoresSignal ? opened.promise : Promise.race([opened.promise, firing(signal)])
        return isOver
      }
      return { release: opened.resolve, asked: wasAsked.promise }
    },
    toolset: {
      name,
      ...(optional === undefined ? {} : { optional }),
      tools: async ({ signal } = {}) => {
        asked.push('tools')
        signal?.throwIfAborted()
        await gate(signal)
        if (isClosed) throw new Error('it was closed.')
        if (failure !== undefined) throw new Error(failure)
        return given
      },
      changed: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      close: async () => {
        asked.push('close')
        isClosed = true
        await closing?.()
      },
    },
  }
}

function firing(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
