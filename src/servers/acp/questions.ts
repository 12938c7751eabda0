import { isAbsolute, join } from 'node:path'
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationSchema,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallContent,
} from '@agentclientprotocol/sdk'
import { isRecord, type Json, type JsonObject } from '../../core/domain/text/json.ts'
import type { Decision } from '../../index.ts'
import { scopesFor, type SuspendedCall } from '../../ports.ts'
import { targetOf } from '../chat/suspension-kind.ts'
import { typedValue } from '../chat/typed-value.ts'

/** The author of decisions from an editor, for the audit. */
const by = 'acp'

interface Answer extends PermissionOption {
  readonly decides: Pick<Decision, 'action' | 'scope'>
}

const extents = { once: 'once', run: 'in this run', family: 'in all runs of this family', always: 'in all runs' }

/** The answers to a suspended call. Scopes beyond the call are offered only if its suspension allows them. */
function answersTo(call: SuspendedCall): readonly Answer[] {
  const { toolName, suspension } = call
  const [, ...wider] = scopesFor(call)
  const yes = suspension?.reason === 'interrupted' ? 'Run again' : 'Allow'
  const never = `Reject ${toolName} in all runs`
  return [
    { optionId: 'allow', name: yes, kind: 'allow_once', decides: { action: 'resume' } },
    { optionId: 'reject', name: 'Reject', kind: 'reject_once', decides: { action: 'cancel' } },
    ...wider.map((scope): Answer => {
      const name = `Allow ${toolName} ${extents[scope]}`
      return { optionId: `allow-${scope}`, name, kind: 'allow_always', decides: { action: 'resume', scope } }
    }),
    ...wider
      .filter((scope) => scope === 'always')
      .map((scope): Answer => {
        return { optionId: 'reject-always', name: never, kind: 'reject_always', decides: { action: 'cancel', scope } }
      }),
  ]
}

/** Returns the permission request for a suspended call, with the change of a file as a diff. */
export function permissionFor(call: SuspendedCall, sessionId: string, cwd: string): RequestPermissionRequest {
  const { callId, toolName, arguments: given, suspension } = call
  const mayHaveRun =
    suspension?.reason === 'interrupted' ? 'The process died during this call, and it may have run already.' : ''
  const steps = suspension?.steps === undefined ? '' : `Done and not repeated: ${suspension.steps.join(', ')}.`
  const text = [suspension?.message, mayHaveRun, steps].filter((part) => part !== undefined && part !== '').join(' ')
  return {
    sessionId,
    toolCall: {
      toolCallId: callId,
      title: toolName,
      status: 'pending',
      rawInput: given,
      content: [...(text === '' ? [] : [shownText(text)]), ...previewOf(suspension?.preview, cwd)],
    },
    options: answersTo(call).map(({ optionId, name, kind }) => ({ optionId, name, kind })),
  }
}

/** Returns the decision in an answer, or undefined for a cancelled request and for an option that was not offered. */
export function permissionDecision(call: SuspendedCall, { outcome }: RequestPermissionResponse): Decision | undefined {
  if (outcome.outcome !== 'selected') return undefined
  const chosen = answersTo(call).find(({ optionId }) => optionId === outcome.optionId)
  return chosen && { target: targetOf(call), by, ...chosen.decides }
}

/** Returns the form for a call that waits for a value. A value that is not a flat object is requested as one field. */
export function elicitationFor(call: SuspendedCall, sessionId: string): CreateElicitationRequest {
  const { toolName, callId, suspension } = call
  const message = suspension?.message ?? `${toolName} waits for a value.`
  return { mode: 'form', sessionId, toolCallId: callId, message, requestedSchema: formOf(suspension?.responseSchema) }
}

const flat: readonly unknown[] = ['string', 'number', 'integer', 'boolean']

function isForm(schema: JsonObject | undefined): boolean {
  const { type, properties } = schema ?? {}
  if (type !== 'object' || !isRecord(properties)) return false
  return Object.values(properties).every((field) => isRecord(field) && flat.includes(field['type']))
}

function formOf(schema: JsonObject | undefined): ElicitationSchema {
  if (schema !== undefined && isForm(schema)) return schema
  const type = schema?.['type']
  const field = flat.includes(type) ? (schema as object) : { type: 'string', description: 'A text, or JSON' }
  return { type: 'object', properties: { value: field }, required: ['value'] } as ElicitationSchema
}

/** Returns the decision in an elicitation's answer, or undefined without an answer. */
export function elicitedDecision(call: SuspendedCall, answer: CreateElicitationResponse): Decision | undefined {
  const head = { target: targetOf(call), by }
  if (answer.action === 'decline') return { ...head, action: 'cancel' }
  if (answer.action !== 'accept' || !('content' in answer) || !isRecord(answer.content)) return undefined
  const schema = call.suspension?.responseSchema
  const mode = call.resumeMode === 'pass-to-tool' ? 'pass-to-tool' : 'use-as-result'
  const content = answer.content as JsonObject
  if (!isForm(schema) && !Object.hasOwn(content, 'value')) return undefined
  const result = isForm(schema) ? content : typedValue(content['value'] ?? null, schema)
  return { ...head, action: 'resume', mode, result }
}

/** Returns a text as content of a tool call. */
export function shownText(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}

function previewOf(preview: Json | undefined, cwd: string): readonly ToolCallContent[] {
  if (preview === undefined) return []
  const diffs = diffsIn(preview, cwd)
  if (diffs.length > 0) return diffs
  return [shownText(typeof preview === 'string' ? preview : JSON.stringify(preview))]
}

/** Returns the change of a file from a preview or from the details of a result. */
export function diffsIn(given: Json | undefined, cwd: string): readonly ToolCallContent[] {
  if (!isRecord(given) || typeof given['diff'] !== 'string' || typeof given['path'] !== 'string') return []
  const { path, diff } = given
  const place = isAbsolute(path) ? path : join(cwd, path)
  const isNew = given['before'] === null
  return hunksOf(diff).map(({ before, after }) => ({
    type: 'diff',
    path: place,
    oldText: isNew ? null : before,
    newText: after,
  }))
}

/** Returns the lines before and after each hunk of a unified diff. */
function hunksOf(diff: string): readonly { readonly before: string; readonly after: string }[] {
  const [, ...hunks] = diff.split(/^@@.*\n/m)
  return hunks.map((hunk) => {
    const lines = hunk.replace(/\n$/, '').split('\n')
    const withSigns = (signs: string) =>
      lines
        .filter((line) => line !== '' && signs.includes(line.charAt(0)))
        .map((line) => line.slice(1))
        .join('\n')
    return { before: withSigns(' -'), after: withSigns(' +') }
  })
}
