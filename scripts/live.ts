import { parseArgs } from 'node:util'
import { modelRegistry } from '../src/adapters/providers/registry.ts'
import { liveRun, type LiveReport } from './live/live-run.ts'

/** The providers with a key; one without a default model is only asked for a named model. */
const providers = Object.entries(modelRegistry().providers).flatMap(([name, { keyVariable, defaultModel }]) =>
  keyVariable === undefined ? [] : [{ name, keyVariable, hasDefault: defaultModel !== undefined }],
)
const usage = 'Usage: npm run live -- --model <provider>/<model> --json'

const { model, json } = readFlags()
const reports: LiveReport[] = []
for (const spec of specsFor(model)) {
  const report = await liveRun(spec, process.env)
  reports.push(report)
  print(report)
}
const failed = reports.filter(({ problem }) => problem !== undefined).length
console.log(reports.length === 0 ? 'skipped' : `${reports.length - failed} passed, ${failed} failed`)
if (json) console.log(JSON.stringify({ skipped: reports.length === 0, results: reports }))
process.exitCode = failed === 0 ? 0 : 1

/** Returns the models to ask: the chosen one, or the default of every provider with a key; prints the skipped ones. */
function specsFor(chosen: string | undefined): readonly string[] {
  if (chosen !== undefined) return chosenSpec(chosen)
  const asked = providers.filter(({ hasDefault, keyVariable }) => hasDefault && process.env[keyVariable])
  // OpenAI's two wires share a key, so one of them is enough by default.
  const specs = asked.filter(({ name }) => !name.startsWith('openai-')).map(({ name }) => name)
  if (specs.length === 0) console.log(`No key is set. Set ANTHROPIC_API_KEY or OPENAI_API_KEY or ${others()}.`)
  for (const { name, keyVariable, hasDefault } of providers) {
    if (specs.length > 0 && hasDefault && !process.env[keyVariable]) {
      console.log(`${name} is left out: ${keyVariable} is not set.`)
    }
  }
  return specs
}

function others(): string {
  const variables = new Set(providers.map(({ keyVariable }) => keyVariable))
  return [...variables].filter((name) => name !== 'ANTHROPIC_API_KEY' && name !== 'OPENAI_API_KEY').join(', ')
}

function chosenSpec(chosen: string): readonly string[] {
  const known = providers.find(({ name }) => name === chosen.split('/')[0])
  if (known !== undefined && !process.env[known.keyVariable]) {
    console.log(`${known.keyVariable} is not set, and --model ${chosen} needs it.`)
    return []
  }
  return [chosen]
}

function readFlags(): { readonly model: string | undefined; readonly json: boolean } {
  try {
    const { values } = parseArgs({ options: { model: { type: 'string' }, json: { type: 'boolean' } } })
    const provider = values.model?.split('/')[0]
    const known = Object.keys(modelRegistry().providers)
    if (provider === undefined || known.includes(provider)) return { model: values.model, json: values.json === true }
    throw new Error(`--model is ${JSON.stringify(values.model)}; expected a model of ${known.join(', ')}.`)
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

function refuse(message: string): never {
  console.error(`${message}\n${usage}`)
  process.exit(1)
}

function print({ model: name, status, reason, calls, text, usage: counts, problem }: LiveReport): void {
  console.log(problem === undefined ? name : `${name} FAILED: ${problem}`)
  console.log(`  status  ${status}, ${reason}`)
  console.log(`  calls   ${calls.join(', ') || 'none'}`)
  console.log(`  text    ${text.replaceAll(/\s+/g, ' ')}`)
  console.log(`  usage   ${counts.input} in, ${counts.output} out, ${counts.cacheRead} read from the cache`)
}
