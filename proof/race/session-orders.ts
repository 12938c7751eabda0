/** The action of a process on a session at one moment. */
export interface SessionOrder {
  readonly sessionId: string
  readonly what: 'prompt' | 'steer' | 'followUp' | 'rotate' | 'delete'
  /** The message; each text is sent only once. */
  readonly text: string
  /** Unix milliseconds. */
  readonly at: number
}

/** The result of one process. */
export interface SessionOutcome {
  /** `done`, or the code of the error the process was refused with. */
  readonly answer: string
  /** The id the session went on under, where it was rotated. */
  readonly rotated?: string
}
