const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const

/** Returns a duration in its largest unit, e.g. `6 s`, `12 min`, `3 h`, `2 d`; at least `0 s`. */
export function describeTime(ms: number): string {
  const unit = units.find((each) => ms >= each.ms) ?? units[3]
  return `${Math.max(0, Math.floor(ms / unit.ms))} ${unit.name}`
}

/** Returns a number of tokens, e.g. `840 tokens`, `2.4k tokens`, `1.2M tokens`. */
export function describeTokens(count: number): string {
  return `${shortNumber(count)} ${count === 1 ? 'token' : 'tokens'}`
}

/** Returns US dollars with two significant digits, and with cents from ten cents on: `$0.0012`, `$0.34`, `$12.50`. */
export function describeCost(dollars: number): string {
  if (dollars >= 0.0995) return `$${dollars.toFixed(2)}`
  const digits = Math.min(8, 1 - Math.floor(Math.log10(dollars)))
  return dollars < 1e-8 ? 'less than $0.00000001' : `$${dollars.toFixed(digits)}`
}

function shortNumber(count: number): string {
  if (count < 1_000) return String(count)
  const thousands = count / 1_000
  if (thousands < 999.5) return `${thousands < 9.95 ? oneDecimal(thousands) : Math.round(thousands)}k`
  return `${oneDecimal(thousands / 1_000)}M`
}

function oneDecimal(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '')
}

/** Returns a duration in seconds and larger units: `6 s`, `2 min 5 s`, `1 h 4 min`. */
export function describeDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
