/** What a process does with a session at one moment. */
export interface SessionOrder {
  readonly sessionId: string
  readonly what: 'prompt' | 'steer' | 'followUp' | 'rotate' | 'delete'
  /** What is said, the same words only once. */
  readonly text: string
  /** Unix milliseconds. */
  readonly at: number
}

/** How one process fared. */
export interface SessionOutcome {
  /** `done`, or the code of the error the process was refused with. */
  readonly answer: string
  /** The id the session went on under, where it was rotated. */
  readonly rotated?: string
}
