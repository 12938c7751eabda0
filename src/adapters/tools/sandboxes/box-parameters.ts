import { lstatSync, readlinkSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { SandboxCommand } from '../../../core/ports/sandbox.ts'
import { isInside } from '../confine-path.ts'
import type { BubblewrapOptions } from './bubblewrap-options.ts'
import type { KeptPlaces } from './kept-places.ts'

/** Returns the parameters of `bwrap` in order: later mounts cover earlier ones. `filter` is a descriptor in the box. */
export function boxParameters(
  command: SandboxCommand,
  kept: KeptPlaces,
  options: BubblewrapOptions,
  filter: number | undefined,
): readonly string[] {
  const { network = 'none', readable = [], maxProcesses = 512, maxMemory = 4e9, maxFileSize = 1e9 } = options
  const limits = [`--nproc=${maxProcesses}`, `--data=${maxMemory}`, `--fsize=${maxFileSize}`, '--core=0']
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network === 'none' ? ['--unshare-net'] : []),
    ...['--disable-userns', '--cap-drop', 'ALL', '--die-with-parent', '--new-session', '--clearenv'],
    ...Object.entries(command.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...systemFolders.flatMap(systemMount),
    ...systemFiles.flatMap((path) => ['--ro-bind-try', path, path]),
    ...processMounts,
    ...deviceMounts,
    ...emptyFolder('/tmp'),
    ...homeOf(command),
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', command.root, command.root],
    ...kept.parameters,
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    ...['--remount-ro', '/', '--chdir', join(command.root, command.folder)],
    ...['--', 'prlimit', ...limits, '--', 'bash', '-c', command.command],
  ]
}

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64']

/** The files of `/etc` that programs need, without secrets. */
const systemFiles = [
  ...['alternatives', 'ca-certificates', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'mime.types'],
  ...['group', 'hosts', 'nsswitch.conf', 'passwd', 'profile', 'protocols', 'resolv.conf', 'services', 'timezone'],
  ...['ssl/certs', 'ssl/openssl.cnf', 'pki/tls/certs', 'ca-certificates.conf'],
].map((name) => `/etc/${name}`)

/** On most systems `/bin` and its like are links into `/usr`. */
function systemMount(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/** For root, files of the kernel would be writable without any capability; bubblewrap 0.8 covers only some of them. */
const processMounts = [
  ...['--proc', '/proc'],
  ...['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi']
    .map((name) => `/proc/${name}`)
    .flatMap((path) => ['--ro-bind-try', path, path]),
]

const deviceMounts = ['--dev', '/dev', ...emptyFolder('/dev/shm'), '--remount-ro', '/dev']

function emptyFolder(path: string): readonly string[] {
  return ['--size', '536870912', '--tmpfs', path]
}

/** The home folder exists, empty and writable; if the root is inside it or equal to it, it is unchanged. */
function homeOf({ root, environment }: SandboxCommand): readonly string[] {
  const home = environment['HOME']
  if (home === undefined || !isAbsolute(home) || isInside(root, home)) return []
  const isTaken = ['/proc', '/dev', '/etc', '/tmp', ...systemFolders].some((path) => isInside(path, home))
  return isTaken || home === '/' ? [] : emptyFolder(home)
}
