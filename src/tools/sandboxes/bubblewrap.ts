import { execFile } from 'node:child_process'
import { closeSync } from 'node:fs'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  checkOptions,
  listOf,
  filledText,
  number,
  oneOf,
  optional,
  type OptionShape,
} from '../../domain/option-shape.ts'
import type { Sandbox, SandboxCommand, SandboxProcess } from '../../ports/sandbox.ts'
import { boxParameters } from './box-parameters.ts'
import { keepPlaces } from './kept-places.ts'

/** What a box allows beyond its root. */
export interface BubblewrapOptions {
  /** Default `none`: not even the loopback of this machine. */
  readonly network?: 'none' | 'allow'
  /** Absolute folders and files that commands may read. Default none; a toolchain outside `/usr` has to be named. */
  readonly readable?: readonly string[]
  /** Processes and threads of one command at a time. Default 512. Does not bind root. */
  readonly maxProcesses?: number
  /** Bytes of memory one process may ask for. Default 4 GB. */
  readonly maxMemory?: number
  /** Bytes of the largest file a command may write. Default 1 GB. */
  readonly maxFileSize?: number
  /** The program. Default `bwrap`, looked for on the path. */
  readonly program?: string
}

const most = optional(number('a whole number of 1 or more', (value) => Number.isInteger(value) && value >= 1))
const shape: OptionShape<BubblewrapOptions> = {
  network: optional(oneOf('none', 'allow')),
  readable: optional(listOf(filledText)),
  maxProcesses: most,
  maxMemory: most,
  maxFileSize: most,
  program: optional(filledText),
}

/**
 * A box made by bubblewrap (Linux): the root can be written, system folders can be read, the rest is not there; no
 * network, own processes and users, limits on processes, memory and file size. In the root, `.statewright` is hidden,
 * and git's hooks and configuration can only be read, because git would run them outside.
 */
export function bubblewrap(options: BubblewrapOptions = {}): Sandbox {
  checkOptions('bubblewrap', options, shape)
  const { program = 'bwrap' } = options
  const wrap = (command: SandboxCommand): SandboxProcess => {
    const kept = keepPlaces(command.root)
    return {
      program,
      parameters: boxParameters(command, kept, options),
      environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
      entersFolder: true,
      descriptors: kept.descriptors,
      stop: async () => kept.descriptors.forEach((descriptor) => closeSync(descriptor)),
    }
  }
  let checked: Promise<string | undefined> | undefined
  const isRoot = process.getuid?.() === 0
  return {
    name: 'bubblewrap',
    isBoundary: true,
    ...(isRoot ? { notice: 'Run as root, the box has no limit on the number of processes.' } : {}),
    wrap,
    check: async () => {
      const found = await (checked ??= tryOut(wrap))
      if (found !== undefined) checked = undefined
      return found
    },
  }
}

/** Tries a box on an empty folder: whether user namespaces are allowed shows only there. */
async function tryOut(wrap: Sandbox['wrap']): Promise<string | undefined> {
  const root = await mkdtemp(join(tmpdir(), 'box-'))
  try {
    return await problemOf(wrap({ command: 'true', root, folder: '.', environment: {} }))
  } finally {
    await rmdir(root)
  }
}

async function problemOf({ program, parameters, environment }: SandboxProcess): Promise<string | undefined> {
  if (process.platform !== 'linux')
    return `The sandbox "bubblewrap" runs on Linux only, and this is ${process.platform}.`
  return await new Promise((resolve) => {
    execFile(program, [...parameters], { env: environment, timeout: 10_000 }, (error, _, stderr) => {
      if (error === null) return resolve(undefined)
      const isMissing = error.code === 'ENOENT'
      resolve(
        isMissing
          ? `The sandbox "bubblewrap" needs the program "${program}", which was not found. ${installation}`
          : `The sandbox "bubblewrap" does not work here: ${(stderr || error.message).trim().slice(0, 500)}`,
      )
    })
  })
}

const installation =
  'Install it: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), pacman -S bubblewrap (Arch).'
