/** Refused as a courtesy: the boundary is the sandbox and the approval. */
const blocked: readonly (readonly [shown: string, pattern: RegExp])[] = [
  ['rm -rf /', /rm -rf \/(?=\s|\*|$)/],
  ['mkfs', /mkfs/],
  ['dd if=', /dd if=/],
  [':(){:|:&};:', /:\(\)\{:\|:&\};:/],
]

/** Returns why a command must not run, or undefined if it may. */
export function blockedBy(command: string): string | undefined {
  const found = blocked.find(([, pattern]) => pattern.test(command))
  return found && `Command blocked by safety policy: contains '${found[0]}'.`
}
