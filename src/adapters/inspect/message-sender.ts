import type { InspectorMessage } from './inspector-message.ts'

/** Where finished messages go. */
export interface MessageSender {
  /**
   * `no`: nothing is to be made, because nobody takes it just now. `again`: somebody may take it again, who has to be
   * told of everything that is there.
   */
  ready(): 'yes' | 'no' | 'again'
  /** False where the message is dropped. */
  send(message: InspectorMessage): boolean
  /** Messages that were taken and could not be delivered. */
  readonly lost: number
  /** Sends what waits, as far as it is taken in time. */
  close(): Promise<void>
}

/** A function of the application's as a sender; what it throws drops the message. */
export function functionSender(send: (message: InspectorMessage) => unknown): MessageSender {
  return {
    lost: 0,
    ready: () => 'yes',
    send: (message) => {
      try {
        send(message)
        return true
      } catch {
        return false
      }
    },
    close: async () => {},
  }
}
