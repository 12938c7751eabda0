const encoder = new TextEncoder()

/** Returns the bytes of a text in UTF-8. */
export function textBytes(text: string): number {
  return encoder.encode(text).length
}

/** Returns the error message for an old browser. */
export function oldPlatform(): string {
  return 'statewright needs a browser that has Promise.withResolvers. Update this browser and try again.'
}

/** Resolves in a later turn of the event loop, after due timers and input were handled. */
export function nextLoopTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

/** Does nothing, because a page has no process that a timer could keep alive. */
export function letProcessEnd(): void {}

/** Throws, because a page can only load the packages of its bundle. */
export function loadZod(): unknown {
  throw new Error('A page loads no package when it is needed.')
}

/** SHA-256 of a text, as hex digits. The browser's own function is asynchronous, so no step can wait for it. */
export { sha256 } from './sha-256.ts'
