/** The text with every lone surrogate replaced: servers refuse the whole request for one. */
export function sendableText(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\u{FFFD}')
}

/** True for text that is more than white space; wires refuse blocks that are not. */
export function isSendable(text: string): boolean {
  return text.trim() !== ''
}
