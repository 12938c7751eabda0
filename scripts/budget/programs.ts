/** Returns a program with this number of bare schemas. */
export function schemasProgram(count: number): string {
  const schemas = numbers(count).map((number) => `export const schema${number} = ${schema(number)}\n`)
  return `import { z } from 'zod'\n${schemas.join('')}`
}

/**
 * Returns a program with an agent with this number of tools, one for each of the same schemas, which read their inputs.
 */
export function toolsProgram(count: number): string {
  const imports = [
    "import { createAgent, tool } from 'statewright'",
    "import { scripted } from 'statewright/providers/scripted'",
    "import { z } from 'zod'",
  ]
  const names = numbers(count).map((number) => `tool${number}`)
  const agent = `createAgent({ name: 'many', model: scripted(['Done.']), tools: [${names.join(', ')}] })`
  return [...imports, ...numbers(count).map(toolText), `export const agent = ${agent}`, proof, ''].join('\n')
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index)
}

function schema(number: number): string {
  return `z.object({
  id: z.string().min(1).describe('An id'),
  count${number}: z.number().int().min(0).optional(),
  kind: z.enum(['a', 'b', 'c${number}']),
  tags: z.array(z.string()).default([]),
  place: z.object({ city: z.string(), zip: z.string().optional(), at: z.tuple([z.number(), z.number()]) }),
  choice: z.union([z.string(), z.number(), z.object({ field${number}: z.boolean() })]),
})`
}

function toolText(number: number): string {
  return `const tool${number} = tool({
  name: 'tool${number}',
  description: 'Tool ${number}',
  input: ${schema(number)},
  effects: 'none',
  execute: async ({ id, place, count${number} }) => \`\${id} \${place.city.length} \${count${number} ?? 0}\`,
})`
}

/** Code that does not compile if a tool's input does not have the type of its schema. */
const proof = `tool({
  name: 'proof',
  description: 'Proof',
  input: z.object({ id: z.string() }),
  // @ts-expect-error the schema has no such field
  execute: ({ absent }) => String(absent),
})`
