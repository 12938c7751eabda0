import { shownText } from './shown-text.ts'

/** Returns a time such as `3 min ago`, or a date for more than a week. */
export function agoText(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1_000))
  if (seconds < 60) return seconds < 5 ? 'just now' : `${seconds} s ago`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h ago`
  return seconds < 604_800 ? `${Math.round(seconds / 86_400)} d ago` : new Date(at).toLocaleDateString()
}

/** Returns the time of day, with the date if it is another day. */
export function timeText(at: number): string {
  const then = new Date(at)
  const isToday = then.toDateString() === new Date().toDateString()
  return isToday ? then.toLocaleTimeString() : then.toLocaleString()
}

/** Returns a number such as `12.4k`. */
export function countText(count: number): string {
  if (count < 1_000) return String(count)
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

/** Returns US dollars with as many digits as are useful. */
export function costText(cost: number): string {
  if (cost === 0) return '–'
  return cost < 0.01 ? `$${cost.toFixed(5)}` : `$${cost.toFixed(cost < 1 ? 3 : 2)}`
}

/** Returns indented JSON, or a text unchanged. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** Returns a text on one line, cut if it is too long. */
export function lineText(text: string, most: number): string {
  const line = shownText(text.slice(0, most * 2))
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
