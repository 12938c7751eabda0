/** Bytes of a text as UTF-8. */
export function textBytes(text: string): number {
  return Buffer.byteLength(text)
}

/** Returns the sentence by which an old Node is refused. */
export function oldPlatform(): string {
  const wish = 'Install a newer Node and try again.'
  return `statewright needs Node 22.16 or newer; this is ${process.versions.node}. ${wish}`
}

/** Resolves a turn of the event loop later, when due timers and what came in have had theirs. */
export function nextLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A timer that keeps no process alive. */
export function letProcessEnd(timer: ReturnType<typeof setInterval>): void {
  timer.unref()
}

/** The converter of zod, which few need beside their own schemas and all would pay for; throws where it cannot be had. */
export function loadZod(): unknown {
  return process.getBuiltinModule('node:module').createRequire(import.meta.url)('zod/v4/core')
}

/** SHA-256 of a text, as hex digits. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex')
}
