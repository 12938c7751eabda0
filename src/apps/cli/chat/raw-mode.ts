import type { CliIo } from '../terminal/cli-io.ts'

/**
 * Puts a terminal into raw mode with bracketed paste, and calls `onResize` when its size changes. Returns the function
 * that restores the terminal. If a signal or an error ends the process, `leaving` is called and the terminal is
 * restored first.
 */
export function enterRawMode(io: CliIo, onResize: () => void, leaving: () => void): () => void {
  const { stdin, stdout, env } = io
  const switchPaste = (to: 'h' | 'l') => void (env['TERM'] === 'dumb' || stdout.write(`\u001b[?2004${to}`))
  const restore = () => {
    leaving()
    switchPaste('l')
    stdin.setRawMode?.(false)
  }
  const forget = [io.onResize?.(onResize), io.onTermination?.(restore)]
  stdin.setRawMode?.(true)
  switchPaste('h')
  return () => {
    for (const one of forget) one?.()
    restore()
  }
}
