/** A row of events: its place in the log, and the number of the last event it holds. */
export interface EventsPlace {
  readonly place: number
  readonly last: number
}

/** The places that are searched. */
export interface Places {
  readonly first: number
  readonly end: number
  /** The last row of events from one place to another, both included. */
  readonly lastIn: (from: number, to: number) => EventsPlace | undefined
}

/**
 * The place in a log at which the events after number `after` begin, or an earlier one that only rows without events part
 * from it. Numbers rise with places, so half of the places is left at each look, and no row is looked at twice.
 */
export function placeAfter(after: number, { first, end, lastIn }: Places): number {
  let [low, high] = [first, end]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = lastIn(low, middle)
    if (found === undefined || found.last <= after) low = middle + 1
    else high = found.place
  }
  return low
}
