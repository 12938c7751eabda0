import { systemClock } from '../index.ts'
import { main } from './command-line.ts'

const interrupted = new AbortController()

/** The first Ctrl-C leaves the run stored; a second one does not wait for that. */
process.on('SIGINT', () => {
  if (interrupted.signal.aborted) process.exit(130)
  interrupted.abort()
})

/** Whoever reads the output may stop reading, as `head` does: nobody watches, so the run is left stored. */
process.stdout.on('error', () => interrupted.abort())
process.stderr.on('error', () => interrupted.abort())

const exitCode = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  isTTY: process.stdin.isTTY && process.stdout.isTTY,
  get columns() {
    return process.stdout.columns
  },
  get rows() {
    return process.stdout.rows
  },
  onResize: (resized) => {
    process.stdout.on('resize', resized)
    return () => process.stdout.off('resize', resized)
  },
  clock: systemClock,
  signal: interrupted.signal,
})

/** A tool that ignores its signal must not keep the process; what was written gets out first. */
process.stdout.write('', () => process.exit(exitCode))
