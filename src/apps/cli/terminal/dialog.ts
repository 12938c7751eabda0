/** A person who can be asked: by the input line of a chat, or below the output of another command. */
export interface Dialog {
  /**
   * Resolves with the key pressed after the question was shown, in lower case; empty for Enter, and several characters
   * for a paste. Undefined if the person left the question for later, or if it was withdrawn.
   */
  key(question: string): Promise<string | undefined>
  /** Resolves with the line typed after the question was shown; undefined in the same cases. */
  line(question: string): Promise<string | undefined>
  print(text: string): void
  /** Lends the terminal to another program. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>
  /** Withdraws the open question, because it was answered elsewhere. */
  withdraw(): void
  /** Ends a question and everything that was shown for its answer. */
  over(): void
}
