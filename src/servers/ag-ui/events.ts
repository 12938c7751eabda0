import type { Event } from '@ag-ui/core'

/** An event of AG-UI as it is sent: its type is a text, so that the package is not needed where events are made. */
export type AgUiEvent = Event extends infer One
  ? One extends Event
    ? Omit<One, 'type'> & { readonly type: `${One['type']}` }
    : never
  : never
