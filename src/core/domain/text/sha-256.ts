/** Returns the SHA-256 of a text (FIPS 180-4) as hex digits; for a page, whose own function is asynchronous. */
export function sha256(text: string): string {
  const words = paddedWords(new TextEncoder().encode(text))
  const state = Uint32Array.from(fractions(8, 2))
  const constants = fractions(64, 3)
  for (let at = 0; at < words.length; at += 16) compress(state, scheduleOf(words.subarray(at, at + 16)), constants)
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** Returns the padded message: the bytes, a one, zeros, and the length in bits, in blocks of 16 words. */
function paddedWords(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array((((bytes.length + 8) >>> 6) + 1) * 16)
  bytes.forEach((byte, at) => put(words, at, byte))
  put(words, bytes.length, 0x80)
  words[words.length - 2] = Math.floor(bytes.length / 0x20000000)
  words[words.length - 1] = bytes.length << 3
  return words
}

function put(words: Uint32Array, at: number, byte: number): void {
  words[at >> 2] = (words[at >> 2] ?? 0) | (byte << (24 - (at & 3) * 8))
}

function scheduleOf(block: Uint32Array): Uint32Array {
  const schedule = new Uint32Array(64)
  schedule.set(block)
  const word = (at: number) => schedule[at] ?? 0
  for (let at = 16; at < 64; at++) {
    const [near, far] = [word(at - 2), word(at - 15)]
    const small = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3)
    const large = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10)
    schedule[at] = word(at - 16) + small + word(at - 7) + large
  }
  return schedule
}

function compress(state: Uint32Array, schedule: Uint32Array, constants: readonly number[]): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let at = 0; at < 64; at++) {
    const first = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g))
    const next = (h + first + (constants[at] ?? 0) + (schedule[at] ?? 0)) | 0
    const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + next) | 0, c, b, a, (next + second) | 0]
  }
  ;[a, b, c, d, e, f, g, h].forEach((word, at) => (state[at] = (state[at] ?? 0) + word))
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** Returns the first 32 fractional bits of the square or cube roots of the first primes. */
function fractions(count: number, root: 2 | 3): readonly number[] {
  const found: number[] = []
  for (let candidate = 2n; found.length < count; candidate++) {
    if (isPrime(candidate)) found.push(Number(rootOf(candidate << BigInt(32 * root), BigInt(root)) & 0xffffffffn))
  }
  return found
}

function isPrime(candidate: bigint): boolean {
  for (let by = 2n; by * by <= candidate; by++) if (candidate % by === 0n) return false
  return true
}

/** Returns the integer part of a root, by bisection. */
function rootOf(value: bigint, root: bigint): bigint {
  let [low, high] = [0n, 1n << 48n]
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    if (middle ** root <= value) low = middle
    else high = middle
  }
  return low
}
