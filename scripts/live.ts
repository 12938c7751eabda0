import { parseArgs } from 'node:util'
import { liveRun, type LiveReport } from './live/live-run.ts'

const keys: Readonly<Record<string, string>> = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' }
const usage = 'Usage: npm run live -- --model anthropic/<model> | openai/<model> --json'

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

/** The models to ask: the one chosen, else the default of every provider whose key is set; says what is left out. */
function specsFor(chosen: string | undefined): readonly string[] {
  const missing = Object.entries(keys).filter(([, variable]) => !process.env[variable])
  if (missing.length === Object.keys(keys).length) {
    console.log(`No key is set. Set ${Object.values(keys).join(' or ')} to ask a real model.`)
    return []
  }
  const [provider] = chosen?.split('/') ?? []
  if (chosen === undefined) {
    for (const [name, variable] of missing) console.log(`${name} is left out: ${variable} is not set.`)
    return Object.keys(keys).filter((name) => missing.every(([other]) => other !== name))
  }
  const absent = missing.find(([name]) => name === provider)
  if (absent !== undefined) refuse(`${absent[1]} is not set, and --model ${chosen} needs it.`)
  return [chosen]
}

function readFlags(): { readonly model: string | undefined; readonly json: boolean } {
  try {
    const { values } = parseArgs({ options: { model: { type: 'string' }, json: { type: 'boolean' } } })
    const provider = values.model?.split('/')[0]
    if (provider === undefined || Object.hasOwn(keys, provider))
      return { model: values.model, json: values.json === true }
    throw new Error(`--model is ${JSON.stringify(values.model)}; expected one of ${Object.keys(keys).join(', ')}.`)
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
