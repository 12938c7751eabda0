import type { AgentEvent } from '../../../src/core/domain/event.ts'
import { type Field, readType, type UnionMember } from './read-types.ts'
import { writeReference, writeTable } from './write-table.ts'

const module = 'src/core/domain/event.ts'

/** Events about work under way, which no log entry holds. */
const underWay: readonly AgentEvent['type'][] = [
  'message.started',
  'message.updated',
  'output.updated',
  'toolExecution.started',
  'toolExecution.updated',
  'toolExecution.ended',
  'progress.reported',
  'commit.delayed',
  'listener.failed',
]

/** Returns the page of all events of a run. Throws if an event has no doc comment. */
export function writeEvents(): string {
  const members = readType(module, 'AgentEvent')?.members ?? []
  const head = readType(module, 'AgentEventHead')?.fields ?? []
  const heads = new Set(head.map(({ name }) => name))
  const parts = members.map((member) => eventPart(member, heads))
  return writeReference(
    'Events',
    [
      'All events of a run; [the guide](../guides/events.md) shows how to read them and their order.',
      '*Stored*: the event follows the commit that holds its content, has a `seq`, and can be read again.',
      '*Under way*: the event reports work whose result is not stored yet. After a crash it may be missing or come again.',
    ].join(' '),
    [`## Every event\n\n${fieldTable(head)}`, ...parts],
  )
}

function eventPart({ doc, fields }: UnionMember, heads: ReadonlySet<string>): string {
  const type = fields.find(({ name }) => name === 'type')?.type.replaceAll("'", '') ?? ''
  if (doc === '') throw new Error(`The event ${type} has no doc comment in ${module}.`)
  const own = fields.filter(({ name }) => name !== 'type' && !heads.has(name))
  const kind = underWay.some((one) => one === type) ? 'Under way.' : 'Stored.'
  const table = own.length === 0 ? [] : [fieldTable(own)]
  return [`## \`${type}\``, `${doc} *${kind}*`, ...table].join('\n\n')
}

function fieldTable(fields: readonly Field[]): string {
  const rows = fields.map(({ name, isOptional, type, doc }) => [
    `\`${name}\`${isOptional ? '?' : ''}`,
    `\`${type}\``,
    doc || (readType(module, type.replace('[]', ''))?.doc ?? ''),
  ])
  return writeTable(['Field', 'Type', 'Meaning'], rows)
}
