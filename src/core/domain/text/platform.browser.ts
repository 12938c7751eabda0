const encoder = new TextEncoder()

/** Bytes of a text as UTF-8. */
export function textBytes(text: string): number {
  return encoder.encode(text).length
}

/** Returns the sentence by which an old browser is refused. */
export function oldPlatform(): string {
  return 'statewright needs a browser that has Promise.withResolvers. Update this browser and try again.'
}

/** Resolves a turn of the event loop later, when due timers and what came in have had theirs. */
export function nextLoopTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

/** A page has no process that a timer could keep alive. */
export function letProcessEnd(): void {}

/** A page has no packages beside those of its bundle. */
export function loadZod(): unknown {
  throw new Error('A page loads no package when it is needed.')
}

/** SHA-256 of a text, as hex digits. A page's own is asynchronous, which no step of a run waits for. */
export { sha256 } from './sha-256.ts'
