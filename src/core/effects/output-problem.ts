import { phases } from '../../../machines/run/run.phases.ts'
import { isRecord } from '../domain/text/json.ts'

/** Returns why a chart could not continue with the output of an effect, or undefined if it could. */
export function outputProblem(name: string, output: unknown): string | undefined {
  const check = Object.hasOwn(phases, name) ? (checks[name] ?? checks['ask']) : checks[name]
  if (check === undefined || (isRecord(output) && check.fits(output))) return undefined
  const got = isRecord(output) ? `an object with ${Object.keys(output).join(', ') || 'nothing'}` : String(output)
  return `${got}. Expected ${check.expected}.`
}

type Check = { readonly expected: string; readonly fits: (output: Fields) => boolean }
type Fields = Readonly<Record<string, unknown>>

const checks: { readonly [name: string]: Check } = {
  keepTime: { expected: '{ at } with the time in Unix milliseconds', fits: ({ at }) => Number.isFinite(at) },
  gateCall: {
    expected: '{ kind: "allowed" }, { kind: "refused", text } or { kind: "suspended", suspension: { id, reason } }',
    fits: isVerdict,
  },
  gateReplay: {
    expected: '{ verdict, revision } with the verdict of a gate and the revision it was given',
    fits: ({ verdict, revision }) => isRecord(verdict) && isVerdict(verdict) && Number.isInteger(revision),
  },
  reviewCall: { expected: 'anything', fits: () => true },
  ask: {
    expected: '{ at, terminate?: { code? }, request? } with the time in Unix milliseconds',
    fits: ({ at, terminate, request, holds }) =>
      Number.isFinite(at) && [terminate, request ?? undefined].every(isRecordIfAny) && holds === undefined,
  },
  refreshCredentials: {
    expected: '{ kind: "refreshed" } or { kind: "failed", error: { code, message }, at }',
    fits: ({ kind, error, at }) =>
      kind === 'refreshed' || (kind === 'failed' && isRecord(error) && Number.isFinite(at)),
  },
}

function isRecordIfAny(value: unknown): boolean {
  return value === undefined || isRecord(value)
}

function isVerdict({ kind, text, suspension }: Fields): boolean {
  if (kind === 'allowed') return true
  if (kind === 'refused') return typeof text === 'string'
  return kind === 'suspended' && isRecord(suspension) && typeof suspension['id'] === 'string'
}
