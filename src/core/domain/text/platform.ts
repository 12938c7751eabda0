/** Returns the bytes of a text in UTF-8. */
export function textBytes(text: string): number {
  return Buffer.byteLength(text)
}

/** Returns the error message for an old Node. */
export function oldPlatform(): string {
  const wish = 'Install a newer Node and try again.'
  return `statewright needs Node 22.16 or newer; this is ${process.versions.node}. ${wish}`
}

/** Resolves in a later turn of the event loop, after due timers and input were handled. */
export function nextLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Lets the process end while the timer is active. */
export function letProcessEnd(timer: ReturnType<typeof setInterval>): void {
  timer.unref()
}

/** Returns zod's converter, which only few applications need; throws if zod is missing. */
export function loadZod(): unknown {
  return process.getBuiltinModule('node:module').createRequire(import.meta.url)('zod/v4/core')
}

/** Returns the SHA-256 of a text, as hex digits. */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex')
}
