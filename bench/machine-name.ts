import { cpus } from 'node:os'

/** Processors and Node, as figures are told with. */
export function machineName(): string {
  return `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}`
}
