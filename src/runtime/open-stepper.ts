import type { Json } from '../domain/json.ts'
import { thrownText } from '../domain/thrown-text.ts'
import { SnapshotError } from './snapshot-error.ts'
import { Stepper, type StepperOptions } from './stepper.ts'

/** Starts a machine, or goes on with a stored one; what the charts cannot take up whole is refused. */
export function openStepper(runId: string, options: StepperOptions): Stepper {
  const { snapshot } = options
  if (snapshot === undefined) {
    const stepper = new Stepper(options)
    stepper.start()
    return stepper
  }
  const stepper = restored(runId, options)
  if (stepper.failure !== undefined) throw misfit(runId, stepper.failure)
  const kept = new Set(liveIds(stepper.persisted()))
  const dropped = liveIds(snapshot).filter((id) => !kept.has(id))
  if (dropped.length > 0) throw new SnapshotError(runId, `the charts do not know its actors ${dropped.join(', ')}`)
  return stepper
}

function restored(runId: string, options: StepperOptions): Stepper {
  try {
    const stepper = new Stepper(options)
    stepper.start()
    return stepper
  } catch (cause) {
    throw misfit(runId, cause)
  }
}

function misfit(runId: string, cause: unknown): SnapshotError {
  return new SnapshotError(runId, `the charts do not take its state (${thrownText(cause)})`, { cause })
}

/** The interpreter drops an actor whose logic it does not find, without a word. */
function liveIds(actor: unknown, path = ''): readonly string[] {
  const { children = {} } = actor as { readonly children?: { readonly [id: string]: Json } }
  return Object.entries(children).flatMap(([id, child]) => {
    const { snapshot } = child as { readonly snapshot: { readonly status: string } }
    const own = `${path}${id}`
    return snapshot.status === 'active' ? [own, ...liveIds(snapshot, `${own}/`)] : []
  })
}
