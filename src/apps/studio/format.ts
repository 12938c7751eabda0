import { shownText } from './shown-text.ts'

/** E.g. `3 min ago`; a date beyond a week. */
export function agoText(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1_000))
  if (seconds < 60) return seconds < 5 ? 'just now' : `${seconds} s ago`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h ago`
  return seconds < 604_800 ? `${Math.round(seconds / 86_400)} d ago` : new Date(at).toLocaleDateString()
}

/** The time of day, with the date if it is another day. */
export function timeText(at: number): string {
  const then = new Date(at)
  const isToday = then.toDateString() === new Date().toDateString()
  return isToday ? then.toLocaleTimeString() : then.toLocaleString()
}

/** E.g. `12.4k`. */
export function countText(count: number): string {
  if (count < 1_000) return String(count)
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

/** US dollars, with as many digits as tell something. */
export function costText(cost: number): string {
  if (cost === 0) return '–'
  return cost < 0.01 ? `$${cost.toFixed(5)}` : `$${cost.toFixed(cost < 1 ? 3 : 2)}`
}

/** JSON with its structure shown, or a text as it is. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** One line of a text, cut if it is too long. */
export function lineText(text: string, most: number): string {
  const line = shownText(text.slice(0, most * 2))
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
