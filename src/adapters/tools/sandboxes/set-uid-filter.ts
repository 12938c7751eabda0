import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A system call by its number, and which of its arguments is a mode; `flags` if that counts only if a file is made. */
interface Call {
  readonly number: number
  readonly mode: number
  readonly flags?: number
}

interface Architecture {
  /** The identifier in `linux/audit.h`. */
  readonly id: number
  readonly calls: readonly Call[]
}

/** Numbers from `asm/unistd_64.h` and `asm-generic/unistd.h`. */
const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    id: 0xc000003e,
    calls: [
      { number: 90, mode: 1 },
      { number: 91, mode: 1 },
      { number: 268, mode: 2 },
      { number: 85, mode: 1 },
      { number: 133, mode: 1 },
      { number: 259, mode: 2 },
      { number: 2, mode: 2, flags: 1 },
      { number: 257, mode: 3, flags: 2 },
    ],
  },
  arm64: {
    id: 0xc00000b7,
    calls: [
      { number: 52, mode: 1 },
      { number: 53, mode: 2 },
      { number: 33, mode: 2 },
      { number: 56, mode: 3, flags: 2 },
    ],
  },
}

/** `fchmodat2`, the same everywhere. */
const changeModeAt: Call = { number: 452, mode: 2 }

/** `openat2` and `io_uring_setup`, whose modes cannot be seen: programs go on with the older calls if these are missing. */
const unseen = [437, 425]

const [setUid, makesFile] = [0o4000, 0o100 | 0o20000000]
const [permissionDenied, notThere, allowed] = [0x0005_0001, 0x0005_0026, 0x7fff_0000]

/** Returns a seccomp filter against set-uid bits, which would work outside the box; undefined for other processors. */
export function setUidFilter(processor: string): Uint8Array | undefined {
  const architecture = architectures[processor]
  if (architecture === undefined) return undefined
  const instructions = [
    load(4),
    jumpIfEqual(architecture.id, 1, 0),
    answer(notThere),
    load(0),
    // Numbers from here on are those of another way to call the same kernel (x32).
    ...(processor === 'x64' ? [jumpIfAtLeast(0x4000_0000, 0, 1), answer(notThere)] : []),
    ...unseen.flatMap((number) => [jumpIfEqual(number, 0, 1), answer(notThere)]),
    ...[...architecture.calls, changeModeAt].flatMap(rulesOf),
    answer(allowed),
  ]
  return Buffer.concat(instructions)
}

function rulesOf({ number, mode, flags }: Call): readonly Buffer[] {
  const judge = [load(argument(mode)), jumpIfAny(setUid, 0, 1), answer(permissionDenied), answer(allowed)]
  const making = flags === undefined ? [] : [load(argument(flags)), jumpIfAny(makesFile, 1, 0), answer(allowed)]
  const rules = [...making, ...judge]
  return [jumpIfEqual(number, 0, rules.length), ...rules]
}

function argument(index: number): number {
  return 16 + index * 8
}

const load = (offset: number) => instruction(0x20, 0, 0, offset)
const answer = (value: number) => instruction(0x06, 0, 0, value)
const jumpIfEqual = (value: number, yes: number, no: number) => instruction(0x15, yes, no, value)
const jumpIfAtLeast = (value: number, yes: number, no: number) => instruction(0x35, yes, no, value)
const jumpIfAny = (bits: number, yes: number, no: number) => instruction(0x45, yes, no, bits)

function instruction(code: number, yes: number, no: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(yes, 2)
  bytes.writeUInt8(no, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}

/** Opens a nameless file with these bytes, to be read from the beginning. */
export function openBytes(bytes: Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), 'box-'))
  try {
    const path = join(folder, 'bytes')
    const written = openSync(path, 'wx', 0o600)
    writeSync(written, bytes)
    closeSync(written)
    return openSync(path, 'r')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
