import type { InspectorMessage } from './inspector-message.ts'

/** A destination of complete messages. */
export interface MessageSender {
  /** Returns `no` if no message should be built, and `again` if a receiver is back and needs the whole state. */
  ready(): 'yes' | 'no' | 'again'
  /** Sends a message; returns false if it is dropped. */
  send(message: InspectorMessage): boolean
  /** The number of accepted messages that could not be delivered. */
  readonly lost: number
  /** Sends the waiting messages within a time limit. */
  close(): Promise<void>
}

/** Returns a sender that calls the application's function; an exception drops the message. */
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
