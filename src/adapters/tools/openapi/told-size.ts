import type { Schema, StandardSchema } from '../../../core/ports/schema.ts'
import type { Tool } from '../../../core/ports/tool.ts'

const mostTools = 128

/** The number of tokens of tools that leaves no room in the window of today's smaller models. */
const mostTokens = 100_000

const charactersOfToken = 4

/** The number of tools whose schemas are measured to estimate the length of all. */
const sampleOf = (count: number) => (count > mostTools ? 2 : 32)

/**
 * Returns warnings about more tools than models accept, or tools too long for their window. The length is estimated
 * from a sample.
 */
export function toldSize(tools: readonly Tool[]): readonly string[] {
  const step = Math.max(1, Math.ceil(tools.length / sampleOf(tools.length)))
  const sample = tools.filter((_, index) => index % step === 0)
  const characters = sample.reduce((sum, tool) => sum + lengthOf(tool), 0)
  const tokens = Math.round((characters / Math.max(1, sample.length) / charactersOfToken) * tools.length)
  if (tools.length <= mostTools && tokens <= mostTokens) return []
  const figures = `It has ${tools.length} tools of about ${tokens} tokens`
  return [
    `${figures}. Many models accept at most ${mostTools} tools, and ${mostTokens} tokens fill a window: give a filter.`,
  ]
}

function lengthOf({ name, description, input }: Tool): number {
  const schema = isStandard(input) ? input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) : input
  return name.length + description.length + (JSON.stringify(schema)?.length ?? 0)
}

function isStandard(input: Schema): input is StandardSchema {
  return '~standard' in input
}
