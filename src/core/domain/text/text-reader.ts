/** A text that a parser reads from its start to its end. */
export class TextReader {
  protected readonly text: string
  protected at = 0

  constructor(text: string) {
    this.text = text
  }

  /** Returns the text that a sticky expression finds at this place, and moves behind it; undefined if it finds none. */
  protected match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    this.at += found?.length ?? 0
    return found
  }
}
