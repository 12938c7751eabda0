import type { Workload } from './workload.ts'
import { alive } from './workloads/alive.ts'
import { atOnce } from './workloads/at-once.ts'
import { bytes } from './workloads/bytes.ts'
import { compaction } from './workloads/compaction.ts'
import { engine } from './workloads/engine.ts'
import { family } from './workloads/family.ts'
import { files } from './workloads/files.ts'
import { deltas } from './workloads/deltas.ts'
import { stream } from './workloads/stream.ts'
import { kept } from './workloads/kept.ts'
import { largeDocument } from './workloads/large-document.ts'
import { longestBlock } from './workloads/longest-block.ts'
import { manyRuns } from './workloads/many-runs.ts'
import { openapi } from './workloads/openapi.ts'
import { mcp } from './workloads/mcp.ts'
import { output } from './workloads/output.ts'
import { parallel } from './workloads/parallel.ts'
import { readers } from './workloads/readers.ts'
import { rest } from './workloads/rest.ts'
import { resume } from './workloads/resume.ts'
import { runsPerSecond } from './workloads/runs-per-second.ts'
import { seen } from './workloads/seen.ts'
import { service } from './workloads/service.ts'
import { session } from './workloads/session.ts'
import { storeInUse } from './workloads/store-in-use.ts'
import { suspendedMemory, suspendedRound } from './workloads/suspended-round.ts'
import { tools } from './workloads/tools.ts'
import { turns } from './workloads/turns.ts'
import { waiting } from './workloads/waiting.ts'
import { wire } from './workloads/wire.ts'
import { answerBegun, durableStep, idleWorker, workers } from './workloads/workers.ts'
import { commandLine } from './workloads/command-line.ts'
import { granted } from './workloads/granted.ts'
import { outgoing } from './workloads/outgoing.ts'
import { pruning } from './workloads/pruning.ts'
import { suspendedList } from './workloads/suspended-list.ts'

/** Every workload, in the order in which they are played. */
export const workloads: readonly Workload[] = [
  turns,
  bytes,
  parallel,
  resume,
  atOnce,
  alive,
  runsPerSecond,
  kept,
  rest,
  readers,
  deltas,
  stream,
  longestBlock,
  suspendedRound,
  suspendedMemory,
  largeDocument,
  manyRuns,
  suspendedList,
  granted,
  outgoing,
  pruning,
  waiting,
  workers,
  durableStep,
  engine,
  answerBegun,
  idleWorker,
  storeInUse,
  service,
  session,
  compaction,
  files,
  family,
  wire,
  tools,
  mcp,
  output,
  openapi,
  seen,
  commandLine,
]
